// A source that is listed a window at a time is listed as in one go.
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KIND } from '../../../../src/core/format/columns/entry-table.js';
import { type FilterOptions, NO_FILTER } from '../../../../src/core/archive/scan/filter-options.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { scanFolder, systemError } from '../pack-tree.js';
import { RandomTree, randomOf } from '../random-tree.js';
import { type RawPath, rawFromText } from '../../../../src/core/platform/paths/raw-path.js';

interface Listed {
  readonly paths: readonly RawPath[];
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
  readonly windows: number;
  readonly linked: readonly string[];
}

function listed(root: string, maxRows: number, filter: Partial<FilterOptions>): Listed {
  const paths: RawPath[] = [];
  const linked: string[] = [];
  const sums = { files: 0, bytes: 0, leftOut: 0, windows: 0 };
  for (let after: RawPath | undefined; ;) {
    const found = scanFolder(root, { filter: { ...NO_FILTER, ...filter }, window: { after, maxRows } });
    const { entries } = found;
    for (let index = 0; index < entries.count; index++)
      if (entries.columns.kind[index] !== KIND.dropped) paths.push(entries.path(index));
    linked.push(...(found.linked ?? []).map(({ row, inode }) => `${entries.path(row)} ${inode}`));
    sums.files += found.files;
    sums.bytes += found.bytes;
    sums.leftOut += found.leftOut;
    sums.windows++;
    if (found.last === undefined) return { paths, linked, ...sums };
    after = found.last;
  }
}

describe.each([1, 2, 3, 4, 5, 6])('a random folder (seed %i)', (seed) => {
  test.each<[string, Partial<FilterOptions>]>([
    ['without rules', {}],
    ['with an exclusion', { exclude: ['a', 'd0/', 'caf*'] }],
    ['with an inclusion', { include: ['**/zz', '**/d./**', 'b'] }],
  ])('%s', async (_what, filter) => {
    const root = await tempFolder();
    new RandomTree(root, randomOf(seed), 100).edit(120);
    const whole = listed(root, Infinity, filter);

    for (const maxRows of [1, 2, 3, 7, 20]) {
      const { windows: _windows, ...found } = listed(root, maxRows, filter);

      expect(found).toEqual({ ...found, paths: whole.paths, files: whole.files, bytes: whole.bytes });
      expect([found.leftOut, found.linked]).toEqual([whole.leftOut, whole.linked]);
    }
  });
});

test('names around a slash keep their order over windows, and names of one file are known by it', async () => {
  const root = await tempFolder();
  for (const path of ['a/x/1', 'a-b/y/2', 'a.b/3', 'a!/z', 'a0/w']) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  linkSync(join(root, 'a/x/1'), join(root, 'a-b/same'));

  const { paths, linked, windows } = listed(root, 1, {});

  expect(windows).toBeGreaterThanOrEqual(paths.length);
  expect(paths).toEqual(
    ['a', 'a!', 'a!/z', 'a-b', 'a-b/same', 'a-b/y', 'a-b/y/2', 'a.b', 'a.b/3', 'a/x', 'a/x/1', 'a0', 'a0/w'].map(
      rawFromText,
    ),
  );
  expect(linked.map((text) => text.split(' ')[0])).toEqual(['a-b/same', 'a/x/1']);
  expect(new Set(linked.map((text) => text.split(' ')[1])).size).toBe(1);
});

test('what is left out of a folder is left out of it in every window, and told once', async () => {
  const root = await tempFolder();
  for (const path of ['!early', '.archiverignore', '.dvc/config', '.dvc/tmp/lock', '.dvc/tmp-other/a', 'z/last']) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  const readText = (): never => {
    throw systemError('EACCES');
  };
  const paths: RawPath[] = [];
  const told: string[] = [];
  for (let after: RawPath | undefined, isOver = false; !isOver;) {
    const found = scanFolder(root, { readText, window: { after, maxRows: 1 } });
    for (let index = 0; index < found.entries.count; index++) paths.push(found.entries.path(index));
    told.push(...found.skipped.map(({ path }) => path));
    [after, isOver] = [found.last, found.last === undefined];
  }

  const kept = [
    '!early',
    '.archiverignore',
    '.dvc',
    '.dvc/config',
    '.dvc/tmp-other',
    '.dvc/tmp-other/a',
    'z',
    'z/last',
  ];
  expect(paths).toEqual(kept.map(rawFromText));
  expect(told).toEqual(['.archiverignore']);
});
