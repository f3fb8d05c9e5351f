// What needs no server: folders, and flags that contradict each other.
import { expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

test.each([
  [['access-check', 'file:///mnt/backup'], '/mnt/backup is a folder, and only buckets of S3 have policies and ACLs'],
  [['access-check', '-b', '/mnt/backup'], '/mnt/backup is a folder, and only buckets of S3 have policies and ACLs'],
  [['access-check', 's3://acme', '-p', 'lab'], '--prefix goes with --bucket; a URL holds its own'],
  [['fleet', 'lock-status', 'file:///mnt/backup'], '/mnt/backup is a folder, and only buckets of S3 have locks'],
  [['upload', '.', 'file:///mnt/backup', '--check-access'], '--check-access can do nothing for file:///mnt/backup'],
  [['upload', '.', 's3://acme', '--fail-on', 'warn'], '--fail-on needs --check-access'],
])('%j is refused', async (argv, words) => {
  const { status, stderr } = await runCommand({ root: program(), folder: await tempFolder() }, argv);

  expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
});

test('a config file that asks to check access means buckets: a folder is uploaded to without it', async () => {
  const folder = await tempFolder();
  const env = { ARCHIVER_CHECK_ACCESS: 'true' };
  const { status, stderr } = await runCommand({ root: program(), folder, env }, [
    'upload',
    await tempFolder(),
    `file://${folder}/store`,
    '--quiet',
    '--json',
  ]);

  expect([status, stderr]).toEqual([0, expect.not.stringContaining('access')]);
});
