// `--progress-format json` tells failures as lines, whenever they happen.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';
beforeEach(async () => void (folder = await tempFolder()));

const linesOf = (stderr: string): readonly Record<string, unknown>[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const run = (...args: string[]) => runCommand({ root, folder }, args);

test.each([
  [['upload', 'none', './store', '--progress-format', 'json'], 'not-found', 1],
  [['upload', '.', './store', '--progress-format=json', '--no-such-flag'], 'usage', 2],
])('%j, which fails before it begins, says why in one line', async (args, code, status) => {
  const ended = await run(...args);

  expect(linesOf(ended.stderr)).toMatchObject([{ schemaVersion: 2, type: 'error', code, message: expect.any(String) }]);
  expect(ended.status).toBe(status);
});

test('also where the variable asks for it, unless a flag says otherwise', async () => {
  const env = { ARCHIVER_PROGRESS_FORMAT: 'json' };
  const wrong = ['upload', '.', './store', '--no-such-flag'];

  expect(linesOf((await runCommand({ root, folder, env }, wrong)).stderr)).toMatchObject([{ type: 'error' }]);
  const ended = await runCommand({ root, folder, env }, [...wrong, '--progress-format', 'text']);
  expect(ended.stderr).toMatch(/^✗ /);
});

test('with --json, stdout has the failure as well', async () => {
  const { stdout, stderr } = await run('upload', 'none', './store', '--progress-format', 'json', '--json');

  expect(json(stdout)).toMatchObject({ error: { code: 'not-found' } });
  expect(linesOf(stderr)).toMatchObject([{ type: 'error', code: 'not-found' }]);
});

test('a failure of the operation is told once, before its summary', async () => {
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'a'), 'content');
  mkdirSync(join(folder, 'store'));
  writeFileSync(join(folder, 'store', 'uploads'), 'no folder');

  const { stderr } = await run('upload', 'data', join(folder, 'store'), '--progress-format', 'json');

  const lines = linesOf(stderr);
  expect(lines.filter(({ type }) => type === 'error')).toHaveLength(1);
  expect(lines.at(-1)).toMatchObject({ type: 'summary', outcome: 'failed' });
});

test('without it, and with --trace, a failure has its words', async () => {
  expect((await run('upload', 'none', './store')).stderr).toMatch(/^✗ /);
  expect((await run('upload', 'none', './store', '--progress-format', 'json', '--trace')).stderr).toMatch(/✗ .*\n/);
});
