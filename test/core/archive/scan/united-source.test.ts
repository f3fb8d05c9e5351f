import { fstatSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSource, realPathOf, seenPathOf, unitedRoot } from '../../../../src/core/archive/scan/united-source.js';
import { openSourceFs } from '../../../../src/core/archive/scan/open-source-fs.js';
import { scan } from '../../../../src/core/archive/scan/scan.js';
import { NO_FILTER } from '../../../../src/core/archive/scan/filter-options.js';
import { baseName, type RawPath } from '../../../../src/core/platform/paths/raw-path.js';
import { openEntryTable } from '../../../../src/core/format/columns/entry-table.js';
import { restored } from '../resume/interrupted.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { describeTree, libcOrFail } from '../trees.js';
import { uploadFolder } from '../upload-folder.js';
import { raw } from '../../../support/raw.js';

test('paths are seen below the names of their folders', () => {
  const root = unitedRoot([raw('/data/a'), raw('/b')]);

  expect(realPathOf(root, raw(`${root}/a/x/y`))).toBe('/data/a/x/y');
  expect(realPathOf(root, raw(`${root}/b`))).toBe('/b');
  expect(seenPathOf(root, raw('/data/a'), raw('/data/a/x'))).toBe(`${root}/a/x`);
  expect(unitedRoot([raw('/data/a')])).toBe('/data/a');
  expect(realPathOf(raw('/data/a'), raw('/data/a/x'))).toBe('/data/a/x');
  expect(baseName(raw('/data/a'))).toBe('a');
});

async function folders(): Promise<readonly [string, string]> {
  const home = await tempFolder();
  const [a, b] = [join(home, 'one', 'a'), join(home, 'two', 'a-b')] as const;
  for (const folder of [a, b]) mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(a, 'sub', 'x'), 'xx');
  linkSync(join(a, 'sub', 'x'), join(b, 'same'));
  symlinkSync('sub/x', join(a, 'link'));
  writeFileSync(join(b, '.archiverignore'), '*.tmp\n');
  writeFileSync(join(b, 'left.tmp'), '');
  writeFileSync(join(a, 'kept.tmp'), '');
  libcOrFail().lsetxattr(raw(join(b, 'sub')), raw('user.k'), Buffer.from('v'));
  return [a, b];
}

test('a scan lists them in byte order of the paths as they are seen', async () => {
  const root = unitedRoot((await folders()).map(raw));
  const { table } = scan({ fs: openSource(root), root, filter: NO_FILTER, readText: () => undefined });
  const entries = openEntryTable(table);
  const paths = Array.from({ length: entries.count }, (_, index) => entries.path(index));

  expect(paths).toEqual(paths.toSorted());
  expect(paths).toEqual(expect.arrayContaining(['a', 'a-b', 'a-b/same', 'a/link', 'a/sub/x']));
});

test('both come back as they were, with links between them and rules of their own', async () => {
  const [a, b] = await folders();
  const base = join(await tempFolder(), 'store');

  const { uploadId, skipped } = await uploadFolder(unitedRoot([raw(a), raw(b)]), base).result;

  expect(skipped).toEqual([]);
  const { 'a-b/left.tmp': _left, ...expected } = {
    ...prefixed('a', describeTree(a)),
    ...prefixed('a-b', describeTree(b)),
  };
  const found = await restored(base, uploadId);
  expect(found['a/sub/x']).toMatchObject({ sameAs: expect.any(String) });
  expect(found['a-b/same']?.sameAs).toBe(found['a/sub/x']?.sameAs);
  expect(
    Object.keys(found)
      .filter((path) => path.includes('/'))
      .toSorted(),
  ).toEqual(Object.keys(expected).toSorted());
  for (const [path, { sameAs: _same, ...facts }] of Object.entries(expected)) expect(found[path]).toMatchObject(facts);
});

test('files of one folder share what is opened of it', async () => {
  const [a] = await folders();
  const files = Array.from({ length: 20 }, (_, at) => join(a, `f${at}`));
  for (const file of files) writeFileSync(file, file);
  const fs = openSourceFs();
  const opened: number[] = [];
  const openRoot = (path: RawPath): number => opened[opened.push(fs.openRoot(path)) - 1] ?? -1;
  const root = unitedRoot([...files, join(a, 'sub')].map(raw));
  const source = openSource(root, { ...fs, openRoot });

  const fd = source.openRoot(root);
  const read = ['f0', 'f19', 'sub/x'].map((path) => {
    const file = source.openFile(fd, root, raw(path));
    const text = readFileSync(file, 'utf8');
    source.close(file);
    return text;
  });
  source.close(fd);

  expect(read).toEqual([files[0], files[19], 'xx']);
  expect(opened).toHaveLength(2);
  for (const one of opened) expect(() => fstatSync(one)).toThrow('EBADF');
});

const prefixed = <T>(name: string, tree: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(tree).map(([path, facts]) => [`${name}/${path}`, facts]));
