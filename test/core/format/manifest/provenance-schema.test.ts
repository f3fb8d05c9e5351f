import { describe, expect, test } from 'vitest';
import { readValue } from '../../../../src/core/platform/documents/read-document.js';
import { checkedDvc, DVC, type DvcRecord, GIT } from '../../../../src/core/format/manifest/provenance-schema.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const git = (value: object) => readValue(GIT, value, "'git' of it");
const dvc = (value: object) => readValue(DVC, value, "'dvc' of it");
const STAGE = {
  name: 'train',
  command: 'python train.py',
  deps: [{ path: 'data', md5: `${'a'.repeat(32)}.dir`, size: 12, nfiles: 2 }],
  outs: [{ path: 'model.bin' }],
  params: { 'params.yaml': { 'train.rate': 0.1, names: ['a'] } },
  lockMd5: 'b'.repeat(32),
};

describe('git', () => {
  test('comes with what there is, and nothing else', () => {
    const full = { commit: COMMIT, branch: 'main', tag: 'v1', remote: 'https://example.org/x', dirty: true };

    expect(git({ ...full, later: 1 })).toEqual(full);
    expect(git({ commit: COMMIT, dirty: false })).toEqual({ commit: COMMIT, dirty: false });
    expect(git({ commit: COMMIT.slice(0, 24).repeat(3).slice(0, 64), dirty: false }).commit).toHaveLength(64);
  });

  test.each([
    ['a short commit', { commit: COMMIT.slice(1) }, /'commit' of 'git' of it is not a git commit in hex/],
    ['a commit in capitals', { commit: COMMIT.toUpperCase() }, /'commit'/],
    ['a branch that is a number', { branch: 1 }, /'branch' .* is not a text/],
    ['an endless tag', { tag: 'x'.repeat(5000) }, /'tag' .* at most 4096/],
    ['no word about changes', { dirty: undefined }, /'dirty' .* is not true or false/],
  ])('%s is refused', (_what, change, message) => {
    expect(() => git({ commit: COMMIT, dirty: false, ...change })).toThrow(message);
  });
});

describe('DVC', () => {
  test('comes with what there is', () => {
    expect(dvc({ cacheDir: '.dvc/cache' })).toEqual({ cacheDir: '.dvc/cache' });
    expect(dvc({ cacheDir: '/cache', stage: { ...STAGE, later: 1 } })).toEqual({ cacheDir: '/cache', stage: STAGE });
  });

  test.each([
    ['no cache', { cacheDir: undefined }, /'cacheDir'/],
    ['a stage without a name', { stage: { ...STAGE, name: '' } }, /'name' .* the name of a stage/],
    ['a name that is half a character', { stage: { ...STAGE, name: '\ud800' } }, /'name'/],
    ['an MD5 that is none', { stage: { ...STAGE, lockMd5: 'x' } }, /'lockMd5' .* an MD5 in hex/],
    ['a size below 0', { stage: { ...STAGE, deps: [{ path: 'a', size: -1 }] } }, /'size' of dep 1 of 'stage' of/],
    ['a path that is none', { stage: { ...STAGE, outs: [{ path: 1 }] } }, /'path' of out 1 of 'stage' of/],
    ['parameters that are a list', { stage: { ...STAGE, params: [] } }, /'params'/],
    ['an endless command', { stage: { ...STAGE, command: 'x'.repeat(2 ** 20 + 1) } }, /'command'/],
    [
      'endless outputs',
      { stage: { ...STAGE, outs: Array.from({ length: 100_001 }, () => ({ path: 'a' })) } },
      /'stage' of 'dvc' of it has more than 100000 outs/,
    ],
  ])('%s is refused', (_what, change, message) => {
    expect(() => dvc({ cacheDir: '.dvc/cache', ...change })).toThrow(message);
  });

  test('is checked before it is written as it is when it is read', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    const record = (params: Readonly<Record<string, unknown>>): DvcRecord => ({
      cacheDir: '.dvc/cache',
      stage: { ...STAGE, params },
    });

    expect(checkedDvc(record({ a: nested(8) }), 'the stage')).toEqual(record({ a: nested(8) }));
    expect(() => checkedDvc(record({ a: nested(20) }), 'the stage')).toThrow(
      /the stage nests more than 12 levels deep/,
    );
    expect(() => checkedDvc({ cacheDir: 'x'.repeat(5000) }, 'the stage')).toThrow(/'cacheDir' of the stage/);
  });
});
