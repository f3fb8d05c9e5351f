import { describe, expect, test } from 'vitest';
import { createSelection, type Selectors } from '../../../src/core/manifest/selection.js';
import { raw } from '../../support/raw.js';

const A = 'aaaaaaa000000000000000000000000000000000';
const B = 'aaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const C = 'cccccccccccccccccccccccccccccccccccccccc';
const MD5 = '0123456789abcdef0123456789abcdef';
const ENTRIES = [
  { path: raw('a.csv'), type: 'file', md5: MD5, stage: 'prepare', commit: A },
  { path: raw('data/b.csv'), type: 'file', stage: 'prepare', commit: C },
  { path: raw('model.bin'), type: 'file', stage: 'train', commit: C },
  { path: raw('readme'), type: 'file' },
] as const;

/** Paths that are selected, and what was not found. */
function select(selectors: Selectors, headCommit?: string) {
  const selection = createSelection(selectors);
  selection.begin(headCommit === undefined ? {} : { git: { commit: headCommit, dirty: false } });
  const paths = ENTRIES.filter((entry) => selection.matches(entry, 0)).map(({ path }) => path);
  return { paths, unmatched: () => selection.unmatched(), needles: selection.needles };
}

describe('a stage', () => {
  test('selects the entries that name it', () => {
    const { paths, unmatched } = select({ stage: 'prepare' });

    expect(paths).toEqual(['a.csv', 'data/b.csv']);
    expect(unmatched()).toEqual([]);
  });

  test('is no prefix, and is named when nothing has it', () => {
    const { paths, unmatched } = select({ stage: 'prep' });

    expect(paths).toEqual([]);
    expect(unmatched()).toEqual(['prep']);
  });

  test('can be searched for', () => {
    expect(select({ stage: 'größe' }).needles).toEqual(
      ['"größe"', '"größe@'].map((text) => Buffer.from(text).toString('latin1')),
    );
    expect(select({ stage: 'train', md5: MD5, files: ['readme'] }).needles).toEqual([
      '"readme"',
      '"readme/',
      MD5,
      '"train"',
      '"train@',
    ]);
  });
});

describe('a commit', () => {
  test('selects the entries that were recorded at it', () => {
    expect(select({ gitCommit: C }).paths).toEqual(['data/b.csv', 'model.bin']);
    expect(select({ gitCommit: C.slice(0, 7) }, B).paths).toEqual(['data/b.csv', 'model.bin']);
    expect(select({ gitCommit: A.toUpperCase() }).paths).toEqual(['a.csv']);
    expect(select({ gitCommit: A.slice(0, 8) }).unmatched()).toEqual([]);
  });

  test('selects everything where it is that of the manifest', () => {
    const { paths, unmatched } = select({ gitCommit: C.slice(0, 9) }, C);

    expect(paths).toHaveLength(ENTRIES.length);
    expect(unmatched()).toEqual([]);
  });

  test('is named as it was written when nothing has it', () => {
    expect(select({ gitCommit: 'DDDDDDD' }, C).unmatched()).toEqual(['DDDDDDD']);
  });

  test('that is cut short and fits two is refused with both', () => {
    const { unmatched } = select({ gitCommit: A.slice(0, 7) }, B);

    expect(unmatched).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringMatching(/2 commits/) }));
    expect(unmatched).toThrow(expect.objectContaining({ hint: expect.stringContaining(A) }));
    expect(select({ gitCommit: B }, B).unmatched()).toEqual([]);
  });

  test.each(['aaaaaa', 'aaaaaag', '', 'a'.repeat(65), 'HEAD', 'main'])('%j is none', (gitCommit) => {
    expect(() => createSelection({ gitCommit })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/is not a git commit/) }),
    );
  });

  test('cannot be searched for, because it may be that of the head', () => {
    expect(select({ gitCommit: C, stage: 'train' }).needles).toBeUndefined();
  });
});

test('selectors add up, and each that found nothing is named', () => {
  const { paths, unmatched } = select({ gitCommit: A, stage: 'train', files: ['readme', 'none'], md5: 'f'.repeat(32) });

  expect(paths).toEqual(['a.csv', 'model.bin', 'readme']);
  expect(unmatched()).toEqual(['none', 'f'.repeat(32)]);
});

test('a path and a stage of the same name are two things', () => {
  expect(select({ stage: 'train', files: ['train'] }).unmatched()).toEqual(['train']);
});

test('shards narrow a stage down', () => {
  const selection = createSelection({ stage: 'train', shards: [1] });

  expect(selection.matches(ENTRIES[2], 1)).toBe(true);
  expect(selection.matches(ENTRIES[2], 0)).toBe(false);
});
