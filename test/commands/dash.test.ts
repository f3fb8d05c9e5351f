// `-` means stdin or stdout where a command says so, and nothing elsewhere: no file or folder of that name is made or read by mistake.
import { readdirSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const UPLOAD = 's3://bucket/uploads/20251114-093012-1a2b3c4d';

const root = program();

test.each([
  ['upload', './source', './store', '--exclude-file', '-'],
  ['upload', './source', './store', '--incremental', '--prev-manifest', '-'],
  ['upload', './source', './store', '--textfile', '-'],
  ['benchmark', '--file', '-'],
  ['lifecycle', '--bucket', 's3://bucket', '--export', '-'],
  ['lifecycle', '--bucket', 's3://bucket', '--import', '-'],
  ['cost', 'reconcile', '--cur', '-'],
  ['config', '--validate', '--file', '-'],
  ['create', 'keys', '--destination', '-'],
  ['fleetagent', 'validate-config', '-'],
  ['plan', '-', 's3://bucket'],
  ['browse', UPLOAD, '-'],
])('archiver %s %s … is refused with what to type', async (...argv) => {
  const folder = await tempFolder();

  const { status, stdout, stderr } = await runCommand(
    { root, folder },
    argv.filter((word) => word !== undefined),
  );

  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('a file of that name is typed ./-');
  expect(readdirSync(folder)).not.toContain('-');
});

it('names the commands that print a file where download would make a folder', async () => {
  const folder = await tempFolder();

  const { status, stderr } = await runCommand({ root, folder }, ['download', UPLOAD, '-', '--files', 'a']);

  expect(status).toBe(2);
  expect(stderr).toContain('✗ download writes files into a folder, and nothing to stdout\n');
  expect(stderr).toContain('archiver restore … - --file PATH');
  expect(readdirSync(folder)).not.toContain('-');
});
