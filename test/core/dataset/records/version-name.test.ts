import { expect, test } from 'vitest';
import {
  compareVersions,
  forkSuffix,
  isSameVersion,
  versionName,
  versionNumber,
} from '../../../../src/core/dataset/records/version-name.js';

test('the first of versions that share an ordinal has no letters, the second is b, the twenty-seventh aa', () => {
  expect([0, 1, 2, 25, 26, 27, 51, 52, 701, 702].map(forkSuffix)).toEqual([
    undefined,
    'b',
    'c',
    'z',
    'aa',
    'ab',
    'az',
    'ba',
    'zz',
    'aaa',
  ]);
});

test('names are v12 and v12.b', () => {
  expect([versionName({ version: 12 }), versionName({ version: 12, fork: 'b' })]).toEqual(['v12', 'v12.b']);
  expect(versionNumber({ version: 12, fork: 'b' })).toBe('12.b');
});

test('versions are ordered by ordinal, then by the place among those that share it', () => {
  const names = [9, 10].flatMap((version) => [0, 1, 25, 26, 27].map((at) => ({ version, fork: forkSuffix(at) })));

  expect(names.toReversed().toSorted(compareVersions)).toEqual(names);
  expect(isSameVersion({ version: 1 }, { version: 1, fork: undefined })).toBe(true);
  expect(isSameVersion({ version: 1 }, { version: 1, fork: 'b' })).toBe(false);
});
