import { describe, expect, test } from 'vitest';
import { createSelection, type Selectors } from '../../../../src/core/format/manifest/selection.js';
import { raw } from '../../../support/raw.js';

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

const SETTINGS = {
  shardStrategy: 'round-robin',
  shardCount: 1,
  compression: { algorithm: 'zstd', level: 3 },
  frameSize: 0,
  chunkSize: 1,
  fileChecksums: true,
};

/** Paths that are selected, and what was not found. */
function select(selectors: Selectors, headCommit?: string) {
  const selection = createSelection(selectors);
  selection.begin({
    settings: SETTINGS,
    dvc: { cacheDir: '/cache' },
    ...(headCommit !== undefined && { git: { commit: headCommit, dirty: false } }),
  });
  const paths = ENTRIES.filter((entry) => selection.matches(entry, 0)).map(({ path }) => path);
  return {
    paths,
    unmatched: () => selection.unmatched().map(({ path }) => path),
    conflict: () => selection.conflict(),
    needles: selection.needles,
  };
}

describe('a stage', () => {
  test('selects the entries that name it', () => {
    const { paths, unmatched } = select({ stages: ['prepare'] });

    expect(paths).toEqual(['a.csv', 'data/b.csv']);
    expect(unmatched()).toEqual([]);
  });

  test('is no prefix, and is named when nothing has it', () => {
    const { paths, unmatched } = select({ stages: ['prep'] });

    expect(paths).toEqual([]);
    expect(unmatched()).toEqual(['prep']);
  });

  test('can be searched for', () => {
    expect(select({ stages: ['größe'] }).needles).toEqual(
      ['"größe"', '"größe@'].map((text) => Buffer.from(text).toString('latin1')),
    );
    expect(select({ stages: ['train'], md5s: [MD5], files: ['readme'] }).needles).toEqual([
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
    expect(select({ commits: [C] }).paths).toEqual(['data/b.csv', 'model.bin']);
    expect(select({ commits: [C.slice(0, 7)] }, B).paths).toEqual(['data/b.csv', 'model.bin']);
    expect(select({ commits: [A.toUpperCase()] }).paths).toEqual(['a.csv']);
    expect(select({ commits: [A.slice(0, 8)] }).unmatched()).toEqual([]);
  });

  test('selects everything where it is that of the manifest', () => {
    const { paths, unmatched } = select({ commits: [C.slice(0, 9)] }, C);

    expect(paths).toHaveLength(ENTRIES.length);
    expect(unmatched()).toEqual([]);
  });

  test('is named as it was written when nothing has it', () => {
    expect(select({ commits: ['DDDDDDD'] }, C).unmatched()).toEqual(['DDDDDDD']);
  });

  test('that is cut short and fits two is refused with both', () => {
    const { unmatched } = select({ commits: [A.slice(0, 7)] }, B);

    expect(unmatched).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringMatching(/2 commits/) }));
    expect(unmatched).toThrow(expect.objectContaining({ hint: expect.stringContaining(A) }));
    expect(select({ commits: [B] }, B).unmatched()).toEqual([]);
  });

  test.each(['aaaaaa', 'aaaaaag', '', 'a'.repeat(65), 'HEAD', 'main'])('%j is none', (gitCommit) => {
    expect(() => createSelection({ commits: [gitCommit] })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/is not a git commit/) }),
    );
  });

  test('cannot be searched for, because it may be that of the head', () => {
    expect(select({ commits: [C], stages: ['train'] }).needles).toBeUndefined();
  });
});

describe('several selectors', () => {
  test('of one kind add up, of different kinds narrow each other down', () => {
    expect(select({ files: ['a.csv', 'readme'], patterns: ['model*', '*.csv'] }).paths).toEqual(['a.csv']);
    expect(select({ patterns: ['model*', '*.csv'] }).paths).toEqual(['a.csv', 'model.bin']);
    expect(select({ stages: ['prepare', 'train'], commits: [C] }).paths).toEqual(['data/b.csv', 'model.bin']);
    expect(select({ commits: [A, C], md5s: [MD5.toUpperCase()] }).paths).toEqual(['a.csv']);
    expect(select({ files: ['data', 'a.csv'], stages: ['prepare'], commits: [C] }).paths).toEqual(['data/b.csv']);
  });

  test('each that nothing fits is named, whatever the others leave', () => {
    const { paths, unmatched } = select({
      commits: [A, 'ddddddd'],
      stages: ['prepare', 'deploy'],
      files: ['a.csv', 'none'],
      patterns: ['*.csv', '*.txt'],
      md5s: [MD5, 'f'.repeat(32)],
    });

    expect(paths).toEqual(['a.csv']);
    expect(unmatched()).toEqual(['none', '*.txt', 'f'.repeat(32), 'ddddddd', 'deploy']);
  });

  test('that leave nothing are named, the fewest that do', () => {
    const conflict = (selectors: Selectors) => select(selectors).conflict();

    expect(conflict({ files: ['a.csv'], stages: ['train'] })).toBe('path a.csv and stage train');
    expect(conflict({ files: ['a.csv'], patterns: ['**/*.csv'], stages: ['train'] })).toBe(
      'path a.csv and stage train',
    );
    // Every two of them fit something.
    expect(conflict({ patterns: ['*.csv', 'model*'], stages: ['train', 'prepare'], commits: [A], shards: [1] })).toBe(
      'patterns *.csv, model* and shard 1',
    );
    expect(conflict({ files: ['a.csv', 'model.bin'], md5s: [MD5], commits: [C] })).toBe(
      'hash ' + MD5 + ' and commit ' + C,
    );
    expect(conflict({ files: ['none'], stages: ['train'] })).toBeUndefined();
    expect(conflict({ files: ['a.csv'], stages: ['prepare'] })).toBeUndefined();
  });
});

test('a path and a stage of the same name are two things', () => {
  expect(select({ stages: ['train'], files: ['train'] }).unmatched()).toEqual(['train']);
});

test('shards narrow a stage down', () => {
  const selection = createSelection({ stages: ['train'], shards: [1] });

  expect(selection.matches(ENTRIES[2], 1)).toBe(true);
  expect(selection.matches(ENTRIES[2], 0)).toBe(false);
});

test('without selectors everything is selected', () => {
  expect(select({}).paths).toHaveLength(ENTRIES.length);
  expect(select({ all: true, files: ['none'] })).toMatchObject({ needles: undefined });
  expect(select({ all: true, files: ['none'] }).paths).toHaveLength(ENTRIES.length);
});
