import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { versionsToKeep } from '../../../../src/core/dataset/prune/keep-rules.js';

/** Version 1, 2, … with these moments. */
const versions = (...moments: readonly string[]) =>
  moments.map((moment, index) => ({ version: index + 1, createdAt: `${moment}T10:00:00.000Z` }));
const kept = (...arguments_: Parameters<typeof versionsToKeep>): number[] =>
  [...versionsToKeep(...arguments_)].sort((a, b) => a - b);

describe('versionsToKeep', () => {
  test('the newest by ordinal, whatever the clocks said', () => {
    expect(kept(versions('2026-03-09', '2026-03-01', '2020-01-01'), { last: 2 })).toEqual([2, 3]);
  });

  test('the newest of each day, of days that have a version', () => {
    const list = versions('2026-03-01', '2026-03-01', '2026-03-05', '2026-03-09', '2026-03-09');

    expect(kept(list, { last: 1, daily: 2 })).toEqual([3, 5]);
    expect(kept(list, { last: 1, daily: 3 })).toEqual([2, 3, 5]);
  });

  test('weeks begin on Monday', () => {
    // 2026-03-08 is a Sunday.
    expect(kept(versions('2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10'), { last: 1, weekly: 2 })).toEqual([
      2, 4,
    ]);
    expect(kept(versions('1969-12-28', '1969-12-29', '1970-01-04'), { last: 1, weekly: 2 })).toEqual([1, 3]);
  });

  test('months and years', () => {
    const list = versions('2024-12-31', '2025-01-01', '2025-12-31', '2026-01-01', '2026-02-01');

    expect(kept(list, { last: 1, monthly: 3 })).toEqual([3, 4, 5]);
    expect(kept(list, { last: 1, yearly: 3 })).toEqual([1, 3, 5]);
  });

  test('rules add up, and the newest stays even when it is asked for none', () => {
    const list = versions('2024-12-31', '2025-06-01', '2026-01-01', '2026-01-02');

    expect(kept(list, { last: 2, yearly: 2 })).toEqual([2, 3, 4]);
    expect(kept(list, { last: 0 })).toEqual([4]);
  });

  test('the newest is always among them, and more of a rule never keeps less', () => {
    const day = fc
      .integer({ min: 0, max: 900 })
      .map((days) => new Date(Date.UTC(2024, 0, 1) + days * 864e5).toISOString());
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 30 }), fc.nat(5), fc.nat(5), (moments, last, daily) => {
        const list = moments.map((createdAt, index) => ({ version: index + 3, createdAt }));
        const some = versionsToKeep(list, { last, daily, monthly: 2 });
        const more = versionsToKeep(list, { last: last + 1, daily: daily + 1, monthly: 3 });
        expect(some.has(list.length + 2)).toBe(true);
        expect([...some].filter((version) => !more.has(version))).toEqual([]);
      }),
    );
  });
});
