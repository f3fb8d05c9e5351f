// Which keys direct files get.
import { describe, expect, test } from 'vitest';
import { DirectKeys, type DirectKeyOptions } from '../../../../src/core/archive/plan/direct-keys.js';
import { type EntryTable, EntryTableBuilder, openEntryTable } from '../../../../src/core/format/columns/entry-table.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { raw } from '../../../support/raw.js';

function tableOf(paths: readonly string[]): EntryTable {
  const builder = new EntryTableBuilder();
  for (const path of paths) builder.add(raw(path));
  return openEntryTable(builder.finish());
}

/** The keys of these paths, the hashes in them left out. */
function keys(paths: readonly string[], options: Partial<DirectKeyOptions> = {}): string[] {
  const made = new DirectKeys(tableOf(paths), { bytesBefore: 40, taken: [], ...options });
  return paths.map((_, index) => made.keyOf(index, index + 7).replace(/[0-9a-f]{64}/, '#'));
}

const HASHED = 'files/.hashed/#-7';

test('a path is its own key, whatever people put into names', () => {
  const names = [
    'a',
    'd/e f/g+h&i?j#k%l',
    'caf\u00e9/\u6f22 \u{1f333}',
    '...',
    '.hashed',
    '.hidden/-x',
    '~',
    "it's [1]*",
  ];

  expect(keys(names.map(rawFromText))).toEqual(
    names.map((name, index) => (name === '.hashed' ? `files/.hashed/#-${index + 7}` : `files/${name}`)),
  );
});

describe('a path gets a hashed key', () => {
  test.each([
    ['it is not UTF-8', 'bad\xff'],
    ['it holds a line end', 'a\nb'],
    ['it holds a DEL', 'a\x7f'],
    ['it holds a C1 control character', rawFromText('a\u0085b')],
    ['it holds a backslash', String.raw`d\..\e`],
    ['XML cannot say it', rawFromText('a\uffff')],
    ['it begins where hashed keys lie', '.hashed/0'],
    ['it begins there when case is folded', '.HASHED/0'],
    ['a folder store keeps such names for itself', 'd/.archiver~tmp-1'],
    ['a part is longer than file systems allow', rawFromText('\u6f22'.repeat(86))],
    ['the key is longer than 1024 bytes', `${'d/'.repeat(488)}x12`],
  ])('when %s', (_why, path) => {
    expect(keys([path])).toEqual([HASHED]);
  });
});

test('a key of exactly 1024 bytes is one, its prefix counted', () => {
  const path = `${'d/'.repeat(488)}x1`;

  expect(keys([path])).toEqual([`files/${path}`]);
  expect(keys([path], { bytesBefore: 41 })).toEqual([HASHED]);
});

test.each([
  ['differ in case', ['Readme', 'readme', 'other']],
  ['differ in case beyond ASCII', ['stra\u00dfe', 'STRASSE', 'other']],
  ['differ in how Unicode is composed', ['caf\u00e9', 'cafe\u0301', 'other']],
  ['are a folder and a file', ['a/b', 'A', 'A/c', 'a', 'other']],
])('paths that %s get hashed keys, all of them', (_how, names) => {
  const found = keys(names.map(rawFromText));

  expect(found.at(-1)).toBe('files/other');
  for (const [index, name] of names.entries()) {
    if (name.includes('/') || name === 'other') continue;
    expect(found[index]).toBe(`files/.hashed/#-${index + 7}`);
  }
});

test('two paths never get one key, also when a path looks like a hashed key', () => {
  const first = new DirectKeys(tableOf(['a\nb']), { bytesBefore: 40, taken: [] }).keyOf(0, 7);
  const paths = ['a\nb', first.slice('files/'.length), 'c\nd'];
  const made = new DirectKeys(tableOf(paths), { bytesBefore: 40, taken: [] });

  const found = paths.map((_, index) => made.keyOf(index, index + 7));

  expect(new Set(found).size).toBe(3);
});

test('what an interrupted run has left is not written over, nor anything above or below it', () => {
  const taken = ['files/Left', 'files/folder/file'];

  expect(keys(['left', 'left/below', 'folder', 'folder/other', 'free'], { taken })).toEqual([
    'files/.hashed/#-7',
    'files/.hashed/#-8',
    'files/.hashed/#-9',
    'files/folder/other',
    'files/free',
  ]);
});
