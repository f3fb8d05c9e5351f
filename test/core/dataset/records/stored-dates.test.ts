import { expect, test } from 'vitest';
import { storedDates } from '../../../../src/core/dataset/records/stored-dates.js';

const day = (text: string): Date => new Date(`2026-${text}T10:00:00.000Z`);

test('a record that was written again is no younger than the version after it', () => {
  const versions = [
    { version: 1, lastModified: day('01-01') },
    { version: 2, lastModified: day('06-01') },
    { version: 4, lastModified: day('03-01') },
    { version: 5, lastModified: day('05-01') },
  ];

  expect([...storedDates(versions)].toSorted(([a], [b]) => a - b)).toEqual([
    [1, day('01-01')],
    [2, day('03-01')],
    [4, day('03-01')],
    [5, day('05-01')],
  ]);
});
