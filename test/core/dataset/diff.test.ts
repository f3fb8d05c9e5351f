import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffViews, type Change, type DiffSide } from '../../../src/core/dataset/diff.js';
import type { ChunkRecord, Entry } from '../../../src/core/format/manifest/manifest-types.js';
import { raw } from '../../support/raw.js';

const TIME = { seconds: 1000, nanos: 5 };
const entry = (path: string, change: Partial<Entry> = {}): Entry => ({
  path: raw(path),
  type: 'file',
  size: 1,
  mtime: TIME,
  ctime: TIME,
  mode: 0o644,
  uid: 0,
  gid: 0,
  inode: raw('1'),
  md5: 'aa',
  chunk: 0,
  offset: 512,
  ...change,
});
const chunk = (sha256: string) => ({ sha256, key: sha256 }) as ChunkRecord;

/** A view of these entries, in batches of this size. */
const side = (entries: readonly Entry[], batch = 2, chunks: readonly ChunkRecord[] = [chunk('c0')]): DiffSide => ({
  chunks,
  async *entries() {
    for (let start = 0; start < entries.length; start += batch)
      yield await Promise.resolve(entries.slice(start, start + batch));
  },
});

async function changes(from: DiffSide, to: DiffSide): Promise<{ changes: Change[]; unchanged: number }> {
  const all: Change[] = [];
  let unchanged = 0;
  for await (const batch of diffViews(from, to)) {
    all.push(...batch.changes);
    unchanged += batch.unchanged.length;
  }
  return { changes: all, unchanged };
}

const words = (change: Change): string =>
  change.kind === 'deleted'
    ? `- ${change.before.path}`
    : change.kind === 'added'
      ? `+ ${change.after.path}`
      : `${change.what} ${change.after.path}`;
const diff = async (old: readonly Entry[], now: readonly Entry[]): Promise<string[]> =>
  (await changes(side(old), side(now))).changes.map(words);

describe('diffViews', () => {
  test('added, removed and modified, in path order', async () => {
    const old = [entry('a'), entry('b'), entry('c'), entry('e')];
    const now = [entry('a'), entry('b', { md5: 'bb' }), entry('d'), entry('e'), entry('f')];

    expect(await diff(old, now)).toEqual(['content b', '- c', '+ d', '+ f']);
    expect((await changes(side(old), side(now))).unchanged).toBe(2);
  });

  test.each<[string, Partial<Entry>, Partial<Entry>, string[]]>([
    ['another size', {}, { size: 2 }, ['content p']],
    ['another checksum', {}, { md5: 'bb' }, ['content p']],
    ['a touched file', {}, { mtime: { seconds: 1000, nanos: 6 } }, ['metadata p']],
    ['another mode', {}, { mode: 0o600 }, ['metadata p']],
    ['another owner', {}, { uid: 7 }, ['metadata p']],
    ['another group', {}, { gid: 7 }, ['metadata p']],
    ['an attribute', {}, { xattrs: new Map([[raw('user.a'), Buffer.from('1')]]) }, ['metadata p']],
    [
      'an attribute of another value',
      { xattrs: new Map([[raw('user.a'), Buffer.from('1')]]) },
      { xattrs: new Map([[raw('user.a'), Buffer.from('2')]]) },
      ['metadata p'],
    ],
    [
      'an attribute of the same value',
      { xattrs: new Map([[raw('user.a'), Buffer.from('1')]]) },
      { xattrs: new Map([[raw('user.a'), Buffer.from('1')]]) },
      [],
    ],
    ['status change time and inode', {}, { ctime: { seconds: 9, nanos: 0 }, inode: raw('2') }, []],
    ['another place of the same bytes', {}, { chunk: 5, offset: 0 }, []],
    ['a second name of the file', {}, { type: 'hardlink', linkGroup: 3 }, []],
    ['a link in place of a file', {}, { type: 'symlink', target: raw('x'), size: 0 }, ['type p']],
    ['a folder in place of a file', {}, { type: 'directory', size: 0 }, ['type p']],
    ['another target', { type: 'symlink', target: raw('x') }, { type: 'symlink', target: raw('y') }, ['content p']],
    ['the same target', { type: 'symlink', target: raw('x') }, { type: 'symlink', target: raw('x') }, []],
    [
      'a folder whose time changed',
      { type: 'directory' },
      { type: 'directory', mtime: { seconds: 9, nanos: 0 } },
      ['metadata p'],
    ],
  ])('%s', async (_what, old, now, expected) => {
    expect(await diff([entry('p', old)], [entry('p', now)])).toEqual(expected);
  });

  test('without checksums the same bytes are known by size and time, or by where they lie', async () => {
    const { md5: _md5, ...plain } = entry('p');
    const touched = { ...plain, mtime: { seconds: 2000, nanos: 0 } };
    const stored = (sha256: string, file: Entry) => side([file], 1, [chunk(sha256)]);

    const what = async (from: DiffSide, to: DiffSide): Promise<string[]> =>
      (await changes(from, to)).changes.map(words);
    expect(await what(stored('c0', plain), stored('c1', plain))).toEqual([]);
    expect(await what(stored('c0', plain), stored('c1', touched))).toEqual(['content p']);
    expect(await what(stored('c0', plain), stored('c0', touched))).toEqual(['metadata p']);
    expect(await what(stored('c0', plain), stored('c0', { ...touched, offset: 9 }))).toEqual(['content p']);
  });

  test('agrees with a comparison of maps, whatever the batches', async () => {
    const tree = fc.uniqueArray(
      fc.record({
        path: fc.constantFrom('a', 'a-b', 'a/b', 'a.', 'b', 'c', 'c/d', '\u00e4', 'z'),
        md5: fc.constantFrom('1', '2'),
      }),
      { selector: ({ path }) => path },
    );
    const sorted = (items: readonly { path: string; md5: string }[]): Entry[] =>
      items.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ path, md5 }) => entry(path, { md5 }));
    const batch = fc.integer({ min: 1, max: 4 });
    await fc.assert(
      fc.asyncProperty(tree, tree, batch, batch, async (old, now, oldBatch, nowBatch) => {
        const [before, after] = [new Map(old.map((e) => [e.path, e.md5])), new Map(now.map((e) => [e.path, e.md5]))];
        const expected = [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path) => {
          if (!after.has(path)) return [`- ${path}`];
          if (!before.has(path)) return [`+ ${path}`];
          return before.get(path) === after.get(path) ? [] : [`content ${path}`];
        });

        const found = await changes(side(sorted(old), oldBatch), side(sorted(now), nowBatch));

        expect(found.changes.map(words)).toEqual(expected);
      }),
    );
  });

  test('an error of a view comes through, and the other view is closed', async () => {
    let isClosed = false;
    const endless: DiffSide = {
      chunks: [],
      async *entries() {
        try {
          for (let number = 0; ; number++) yield await Promise.resolve([entry(`p${String(number).padStart(9, '0')}`)]);
        } finally {
          isClosed = true;
        }
      },
    };
    const broken: DiffSide = {
      chunks: [],
      async *entries() {
        yield await Promise.resolve([entry('p000000003')]);
        throw new Error('broken');
      },
    };

    await expect(changes(endless, broken)).rejects.toThrow('broken');
    expect(isClosed).toBe(true);
  });
});
