import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command as history } from '../../src/commands/history.js';
import { callsIn, datasetFolder } from '../support/dataset-folder.js';
import { linkKey } from '../support/make-chain.js';
import { DATASET, makeDataset } from '../support/make-dataset.js';
import { treeOf } from '../support/tree-of.js';

const made = makeDataset([
  {
    files: [
      { path: 'docs', type: 'directory' },
      { path: 'docs/a', content: 'one' },
      { path: 'docs/ab', content: 'other' },
    ],
  },
  { files: [{ path: 'docs/a', content: 'two' }] },
  { files: [], deleted: ['docs/a'] },
  { files: [{ path: 'docs/a', content: 'one' }] },
  { files: [{ path: 'z', content: 'later' }] },
]);
const root = treeOf([history], [], 'test');
let folder = '';
let base = '';
beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});
const calls = callsIn(root, () => folder);
const changesOf = (stdout: string): unknown =>
  JSON.parse(stdout).history.map((one: { change: string; version: number; lastVersion: number; size?: number }) => [
    one.change,
    one.version,
    one.lastVersion,
    one.size,
  ]);

test('each version that changed the path is a row, newest first, with the command that restores it', async () => {
  const json = await calls.run('history', 'docs/a', base, '--json');
  expect([json.status, changesOf(json.stdout)]).toEqual([
    0,
    [
      ['added', 4, 5, 3],
      ['deleted', 3, 3, undefined],
      ['modified', 2, 2, 3],
      ['added', 1, 1, 3],
    ],
  ]);
  const { stdout } = await calls.run('history', './docs/a', base, '--dataset-id', DATASET);
  expect(stdout).toMatch(/^v4-v5 +2026-03-04 12:00\+00:00 {2}added +3 B {2}2025/m);
  expect(stdout).toMatch(/^v3 .* deleted$/m);
  expect(stdout).toContain(
    `restore it: archiver restore ${base} OUT --file docs/a --dataset-id ${DATASET} --version 5`,
  );
});

test('a folder has a history, too', async () => {
  const { stdout } = await calls.run('history', 'docs/', base, '--json');
  expect(changesOf(stdout)).toEqual([['added', 1, 5, 0]]);
});

test('a path that no version has is a failure, and so is what could not be searched', async () => {
  const none = await calls.run('history', 'docs/x', base);
  expect([none.status, none.stderr]).toEqual([1, expect.stringContaining("'docs/x' is in none of 5 versions")]);

  rmSync(join(folder, 'store', linkKey(4)));
  rmSync(join(folder, 'store', linkKey(3)));
  const some = await calls.run('history', 'docs/a', base, '--json');
  expect([some.status, changesOf(some.stdout)]).toEqual([
    3,
    [
      ['deleted', 3, 3, undefined],
      ['modified', 2, 2, 3],
      ['added', 1, 1, 3],
    ],
  ]);
  expect(some.stderr).toContain('v4 was not searched');
});
