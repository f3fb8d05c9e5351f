// What is said where the folder of archiver's own files cannot be used.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { type CommandRun, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

/** A command on a folder of one file, where `inTheWay` is a file. */
async function runWith(inTheWay: string, argv: readonly string[]): Promise<CommandRun> {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source/a'), 'alpha');
  mkdirSync(dirname(join(folder, inTheWay)), { recursive: true });
  writeFileSync(join(folder, inTheWay), 'in the way');
  const ran = await runCommand({ root: program(), folder }, [...argv, '--quiet']);
  return { ...ran, stderr: ran.stderr.replaceAll(folder, 'FOLDER') };
}

test.each([
  ['upload', ['upload', 'source', './store']],
  ['sync', ['sync', 'source', './store']],
  ['create upload', ['create', 'upload', 'source', '--bucket', './store']],
])('%s tells of a home that is no folder once', async (_name, argv) => {
  expect(await runWith('home', argv)).toEqual({
    status: 0,
    stdout: '',
    stderr:
      '! FOLDER/home cannot be used (there is a file where a folder is needed): this cannot be resumed if it is ' +
      'interrupted, its cost is not recorded, and the next run has to fetch manifests again; ARCHIVER_HOME names another folder\n',
  });
});

test('a folder in it that cannot be used is told once, too', async () => {
  const { status, stderr } = await runWith('home/manifest-cache', ['sync', 'source', './store']);

  expect([status, stderr]).toEqual([0, '! the manifest cache in FOLDER/home/manifest-cache cannot be read\n']);
});
