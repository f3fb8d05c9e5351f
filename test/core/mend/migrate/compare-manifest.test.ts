import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { ArchiveContents, type Row } from '../../../../src/core/mend/migrate/archive-contents.js';
import { ManifestComparison } from '../../../../src/core/mend/migrate/compare-manifest.js';
import { Losses } from '../../../../src/core/mend/migrate/losses.js';
import { raw } from '../../../support/raw.js';

const TIME = { seconds: 1000, nanos: 123_456_789 };
const ROW: Row = {
  kind: 'file',
  isImplied: false,
  size: 3,
  mode: 0o644,
  uid: 1,
  gid: 2,
  ...TIME,
  md5: 'aa',
  target: raw(''),
  file: 1,
};
const ENTRY: Entry = {
  path: raw('a'),
  type: 'file',
  size: 3,
  mode: 0o644,
  uid: 1,
  gid: 2,
  mtime: TIME,
  ctime: TIME,
  inode: raw('1'),
  md5: 'aa',
};

function compare(
  rows: Record<string, Partial<Row>>,
  entries: readonly Partial<Entry>[],
  options: { timeDigits?: 6 | 9; hasOwners?: boolean } = {},
) {
  const contents = new ArchiveContents({ case: false, unicode: false });
  for (const [path, row] of Object.entries(rows)) contents.put(raw(path), { ...ROW, ...row });
  const losses = new Losses();
  const comparison = new ManifestComparison({
    contents,
    linkedFiles: new Set([9]),
    losses,
    timeDigits: 9,
    hasOwners: true,
    ...options,
  });
  for (const entry of entries) comparison.entry({ ...ENTRY, ...entry });
  return { problem: comparison.finish(), losses };
}

test('the same is no problem', () => {
  const { problem, losses } = compare(
    {
      a: {},
      d: { kind: 'directory', size: 0, md5: '' },
      l: { kind: 'symlink', target: raw('t'), md5: '', size: 0, mode: 0 },
    },
    [
      {},
      { path: raw('d'), type: 'directory', size: 0 },
      { path: raw('l'), type: 'symlink', size: 0, target: raw('t'), mode: 0o777 },
    ],
  );

  expect([problem, losses.sentences()]).toEqual([undefined, []]);
});

test.each<[string, Partial<Row>, Partial<Entry>, string]>([
  ['another type', {}, { type: 'directory' }, 'a is a directory, and a file in the archive'],
  ['another size', {}, { size: 4 }, 'a has 4 bytes, and 3 in the archive'],
  ['another checksum', {}, { md5: 'bb' }, 'a has another content than in the archive'],
  ['a file that changed', {}, { changed: true }, 'a has another content than in the archive'],
  [
    'another target',
    { kind: 'symlink', target: raw('x') },
    { type: 'symlink', target: raw('y') },
    'a links to something else',
  ],
  ['another path', {}, { path: raw('b') }, 'b is not in the archive; a is missing'],
])('%s is one', (_name, row, entry, words) => {
  expect(compare({ a: row }, [entry]).problem).toBe(words);
});

test('names of one file that are two files are one', () => {
  const rows = { a: { file: 9 }, b: { file: 9 } };

  expect(compare(rows, [{ linkGroup: 4 }, { path: raw('b'), type: 'hardlink', linkGroup: 4 }]).problem).toBeUndefined();
  expect(compare(rows, [{ linkGroup: 4 }, { path: raw('b'), type: 'file' }]).problem).toBe(
    'b is no longer a hard link',
  );
  expect(compare(rows, [{}, { path: raw('b') }]).problem).toBe('b is no longer a hard link');
});

test('ten are named, the rest are counted', () => {
  const rows = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`f${index}`, {}]));

  expect(compare(rows, []).problem).toMatch(/^f0 is missing; .*f9 is missing; and 3 more$/);
});

test('other metadata are no problem but losses, except where they were not to be expected', () => {
  const other = { mtime: { seconds: 1000, nanos: 123_456_000 }, mode: 0o600, uid: 7 };

  expect(compare({ a: {} }, [other]).losses).toMatchObject({ times: 1, modes: 1, owners: 1 });
  expect(compare({ a: {} }, [other], { timeDigits: 6, hasOwners: false }).losses).toMatchObject({
    times: 0,
    modes: 1,
    owners: 0,
  });
  expect(
    compare({ a: { kind: 'directory', isImplied: true } }, [{ ...other, type: 'directory' }]).losses.sentences(),
  ).toEqual([]);
});
