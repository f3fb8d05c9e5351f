// What needs no real server: folders, flags that contradict each other, and the table at the end.
import { describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

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

describe('what the store can do', () => {
  const s3 = useBrokenS3();
  const check = async (...argv: readonly string[]) =>
    await runCommand(
      { root: program(), folder: await tempFolder(), env: { NO_COLOR: '1', LANG: 'C.UTF-8' }, columns: 80 },
      ['access-check', 's3://bucket/p', '--endpoint-url', s3.proxy.endpoint, ...argv],
    );

  test('is the end of the report, in signs and whole sentences', async () => {
    s3.server.lockable.add('bucket');
    const { status, stdout } = await check();
    const table = stdout.slice(stdout.indexOf('What this store can do:'));

    expect(status).toBe(0);
    expect(table).toMatch(/^ {2}✓ object-lock +on, without a default retention$/m);
    expect(table).toMatch(/^ {2}✗ versions +versioning was never turned on$/m);
    expect(table).toMatch(/^ {2}– largest-part +not asked: gigabytes would have to be sent$/m);
    expect(table.replaceAll(/\s+/g, ' ')).toContain('is gone. See docs/security.md, A stolen key.');
    expect(table.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect([...(s3.server.buckets.get('bucket')?.keys() ?? [])]).toEqual(['p/create-once.json']);
  });

  test('has other signs where the locale has ASCII only', async () => {
    const folder = await tempFolder();
    const host = { root: program(), folder, env: { NO_COLOR: '1', LANG: 'C' } };
    const { stdout } = await runCommand(host, ['access-check', 's3://bucket/p', '--endpoint-url', s3.proxy.endpoint]);

    expect(stdout).toMatch(/^ {2}x {3}versions +versioning was never turned on$/m);
    expect(stdout).toMatch(/^ {2}ok: create-once +of two writers/m);
  });

  test('is in the document, and a plain store is a warning', async () => {
    s3.server.conditions.ifNoneMatch = 'ignored';
    const { stdout } = await check('--json');
    s3.server.conditions.ifNoneMatch = 'kept';

    expect(json(stdout)).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ check: 'create-once', severity: 'warn' }),
      ]) as unknown,
      capabilities: expect.arrayContaining([expect.objectContaining({ name: 'create-once', state: 'no' })]) as unknown,
    });
  });
});
