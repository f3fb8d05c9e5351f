import { expect, test } from 'vitest';
import { OTHER_TOOLS_COMMANDS } from '../../src/cli/other-tools.js';
import { findNode } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const run = async (...argv: readonly string[]) => await runCommand({ root, folder: await tempFolder() }, argv);

test('every word of a peer leads to a command that there is', () => {
  for (const ours of Object.values(OTHER_TOOLS_COMMANDS))
    expect(findNode(root, ours.split(' '))?.command?.path).toBe(ours);
});

test.each([
  ['backup', 'upload'],
  ['snapshots', 'dataset versions'],
  ['ls', 'list'],
  ['check', 'verify'],
  ['forget', 'dataset prune'],
  ['import-tar', 'migrate'],
  ['incremental', 'sync'],
  ['recover', 'repair'],
  ['remove-older-than', 'dataset prune'],
  ['tag', 'dataset tag'],
])('%s is answered with %s', async (word, ours) => {
  const { status, stderr } = await run(word, '/data', 's3://bucket');

  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `✗ "${word}" is called \`archiver ${ours}\` here\n  fix   archiver help ${ours}\n`,
  });
});

test('version is answered with the flag, and help leads there as well', async () => {
  expect((await run('version')).stderr).toContain('"version" is called `archiver --version` here');
  expect((await run('help', 'snapshots')).stderr).toContain('`archiver dataset versions`');
});
