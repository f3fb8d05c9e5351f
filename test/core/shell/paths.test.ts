import { describe, expect, it, test } from 'vitest';
import { LazyListing } from '../../../src/core/restore/listing/lazy-listing.js';
import { displayPath, rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { typedPath } from '../../../src/core/platform/text/typed-path.js';
import { resolvePath, typedName } from '../../../src/core/shell/archive-path.js';
import { completePath } from '../../../src/core/shell/complete-path.js';
import { scanLastCommand } from '../../../src/core/shell/command-line.js';
import { expandGlob } from '../../../src/core/shell/expand-glob.js';
import { type FileSpec, makeArchive, UPLOAD_ID } from '../../support/make-archive.js';
import { memoryReader } from '../../support/memory-reader.js';
import { raw } from '../../support/raw.js';

const FILES: FileSpec[] = [
  { path: '.hidden', content: 'h' },
  { path: 'a', type: 'directory' },
  { path: 'a.b', content: 'x' },
  { path: 'a/1.csv', content: '1' },
  { path: 'a/2.csv', content: '2' },
  { path: 'a/deep/3.csv', content: '3' },
  { path: 'data/my file [1].txt', content: '4' },
  { path: 'data/デ.csv', content: '5' },
  { path: 'data/esc\u001bx', content: '6' },
];

async function listingOf(files: readonly FileSpec[] = FILES): Promise<LazyListing> {
  return await LazyListing.open(memoryReader(makeArchive({ files }).objects), { uploadId: UPLOAD_ID });
}

test.each([
  ['a/b', 'c', 'a/b/c'],
  ['a/b', '../c', 'a/c'],
  ['a/b', '/c/./d//', 'c/d'],
  ['a', '../../..', ''],
  ['', '.', ''],
  ['a', '', 'a'],
  ['', 'デ', rawFromText('デ')],
])('in %j %j is %j', (folder, text, path) => {
  expect(resolvePath(raw(folder), typedPath(text))).toBe(path);
});

async function all<T>(some: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of some) found.push(one);
  return found;
}

describe('globs', () => {
  const expand = async (lazy: LazyListing, folder: string, word: string): Promise<string[]> => {
    const glob = scanLastCommand(`ls ${word}`).words[1]?.glob ?? 'no glob';
    return (await all(expandGlob(lazy, raw(folder), glob))).map(displayPath);
  };

  test.each<[folder: string, word: string, paths: string[]]>([
    ['', '*', ['.hidden', 'a', 'a.b', 'data']],
    ['', 'a*', ['a', 'a.b']],
    ['', 'a/*.csv', ['a/1.csv', 'a/2.csv']],
    ['', '*/1.csv', ['a/1.csv']],
    ['', '*/deep', ['a/deep']],
    ['', '*/*/3.csv', ['a/deep/3.csv']],
    ['', '**/*.csv', ['a/1.csv', 'a/2.csv', 'a/deep/3.csv', 'data/デ.csv']],
    ['', 'a/**', ['a/1.csv', 'a/2.csv', 'a/deep/3.csv']],
    ['', '{a/1,data/デ}.csv', ['a/1.csv', 'data/デ.csv']],
    ['', 'a/{1,2}.csv', ['a/1.csv', 'a/2.csv']],
    ['a', '*.csv', ['a/1.csv', 'a/2.csv']],
    ['a', '../data/?.csv', ['data/デ.csv']],
    ['a/deep', '/a/[2-9].csv', ['a/2.csv']],
    ['data', '"my file [1]"*', ['data/my file [1].txt']],
    ['data', 'my\\ file*', ['data/my file [1].txt']],
    ['', '*.none', []],
  ])('in %j %j means %j', async (folder, word, paths) => {
    expect(await expand(await listingOf(), folder, word)).toEqual(paths);
  });

  it('looks at what lies in the folder and at no other path', async () => {
    const lazy = await listingOf();
    const { listing } = lazy;
    const seen: number[] = [];
    const path = listing.path.bind(listing);
    listing.path = (index) => (seen.push(index), path(index));

    expect(await expand(lazy, '', 'a/*.csv')).toHaveLength(2);
    expect(seen.every((index) => path(index).startsWith('a/'))).toBe(true);
  });
});

describe('completion of paths', () => {
  const complete = async (folder: string, text: string, foldersOnly = false): Promise<string[]> =>
    (await completePath({ lazy: await listingOf(), folder: raw(folder), text, foldersOnly })).map(
      ({ insert }) => insert,
    );

  test.each<[folder: string, text: string, inserts: string[]]>([
    ['', '', ['.hidden', 'a/', 'a.b', 'data/']],
    ['', 'a', ['a/', 'a.b']],
    ['', 'a/', ['a/1.csv', 'a/2.csv', 'a/deep/']],
    ['', 'a/d', ['a/deep/']],
    ['a/deep', '../../da', ['../../data/']],
    ['a', '/data/my', ['/data/my\\ file\\ \\[1\\].txt']],
    ['', 'data/', ['data/esc\\x1bx', 'data/my\\ file\\ \\[1\\].txt', 'data/デ.csv']],
    ['', 'none', []],
    ['', 'none/', []],
  ])('in %j %j goes on with %j', async (folder, text, inserts) => {
    expect(await complete(folder, text)).toEqual(inserts);
  });

  it('offers folders alone where only they make sense, and tells which options are final', async () => {
    expect(await complete('', 'a', true)).toEqual(['a/']);
    const options = await completePath({ lazy: await listingOf(), folder: raw(''), text: 'a', foldersOnly: false });
    expect(options.map(({ isFinal }) => isFinal)).toEqual([false, true]);
    expect(
      (await completePath({ lazy: await listingOf(), folder: raw('data'), text: 'e', foldersOnly: false }))[0]?.label,
    ).toBe('esc\\x1bx');
  });

  it('gives each name a form that means it when it is typed', async () => {
    const lazy = await listingOf();
    for (const { name } of lazy.listing.children(raw('data'))) {
      const typed = scanLastCommand(`cat ${typedName(name)}`).words[1];
      const meant =
        typed?.glob === undefined
          ? [resolvePath(raw('data'), typedPath(typed?.text ?? ''))]
          : await all(expandGlob(lazy, raw('data'), typed.glob));
      expect(meant).toEqual([`data/${name}`]);
    }
  });

  it('stops at a thousand', async () => {
    const many = Array.from({ length: 1200 }, (_, n) => ({ path: `f${String(n).padStart(4, '0')}`, content: '' }));
    const options = await completePath({ lazy: await listingOf(many), folder: raw(''), text: 'f', foldersOnly: false });
    expect(options).toHaveLength(1000);
  });
});
