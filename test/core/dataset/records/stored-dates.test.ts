import { expect, test } from 'vitest';
import { storedDates } from '../../../../src/core/dataset/records/stored-dates.js';

const day = (text: string): Date => new Date(`2026-${text}T10:00:00.000Z`);

const inOrder = (dates: ReadonlyMap<string, Date>): (readonly [string, Date])[] =>
  [...dates].toSorted(([a], [b]) => (a < b ? -1 : 1));

test('a record that was written again is no younger than the version after it', () => {
  const versions = [
    { key: 'v1', version: 1, lastModified: day('01-01') },
    { key: 'v2', version: 2, lastModified: day('06-01') },
    { key: 'v4', version: 4, lastModified: day('03-01') },
    { key: 'v5', version: 5, lastModified: day('05-01') },
  ];

  expect(inOrder(storedDates(versions))).toEqual([
    ['v1', day('01-01')],
    ['v2', day('03-01')],
    ['v4', day('03-01')],
    ['v5', day('05-01')],
  ]);
});

test('versions that share an ordinal say nothing of each other', () => {
  const versions = [
    { key: 'v1', version: 1, lastModified: day('06-01') },
    { key: 'v1.b', version: 1, lastModified: day('04-01') },
    { key: 'v2', version: 2, lastModified: day('05-01') },
  ];

  expect(inOrder(storedDates(versions))).toEqual([
    ['v1', day('05-01')],
    ['v1.b', day('04-01')],
    ['v2', day('05-01')],
  ]);
});
