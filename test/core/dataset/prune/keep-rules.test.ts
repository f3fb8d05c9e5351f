import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkKeepRules,
  type DatedVersion,
  type KeepRules,
  versionsToKeep,
} from '../../../../src/core/dataset/prune/keep-rules.js';

/** Version 1, 2, … with these moments. */
const versions = (...moments: readonly string[]) =>
  moments.map((moment, index) => dated(index + 1, `${moment}T10:00:00.000Z`));
const dated = (version: number, at: string, fork?: string): DatedVersion => ({
  key: String(version) + (fork ?? ''),
  version,
  fork,
  createdAt: at,
  storedAt: at,
});
const NOW = new Date('2027-01-01T00:00:00Z');
const kept = (list: Parameters<typeof versionsToKeep>[0], rules: KeepRules, now = NOW): number[] =>
  [...versionsToKeep(list, rules, now).keys()].map(Number).sort((a, b) => a - b);

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

  test('hours', () => {
    const list = ['10:01', '10:59', '11:00', '13:30'].map((time, index) =>
      dated(index + 1, `2026-03-01T${time}:00.000Z`),
    );

    expect(kept(list, { last: 1, hourly: 3 })).toEqual([2, 3, 4]);
  });

  test('what was made a while before the newest, however long ago that is, and before now where its clock was ahead', () => {
    const list = versions('2026-03-01', '2026-03-09', '2026-03-10', '2026-04-08');
    const withinMs = 30 * 86_400_000;

    expect(kept(list, { last: 1, withinMs })).toEqual([2, 3, 4]);
    expect(kept(list, { last: 1, withinMs }, new Date('2026-03-31T10:00:00Z'))).toEqual([1, 2, 3, 4]);
    expect(kept(list, { last: 1, withinMs: 0 })).toEqual([4]);
  });

  test('of versions that share an ordinal each counts, and all of the highest one are the newest', () => {
    const [at] = ['2026-01-31T10:00:00.000Z'];
    const list = [dated(1, at), dated(1, at, 'b'), dated(2, at), dated(2, at, 'b'), dated(2, at, 'c')];

    expect([...versionsToKeep(list, { last: 1 }, NOW).keys()].toSorted()).toEqual(['2', '2b', '2c']);
    expect([...versionsToKeep(list, { last: 4 }, NOW).keys()].toSorted()).toEqual(['1b', '2', '2b', '2c']);
  });

  test('says why', () => {
    const list = versions('2026-01-31', '2026-02-27', '2026-02-28', '2026-03-09');

    const reasons = versionsToKeep(list, { last: 2, monthly: 3, withinMs: 9 * 86_400_000 }, NOW);

    expect([...reasons].sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      ['1', ['monthly']],
      ['3', ['monthly', 'within', 'last']],
      ['4', ['monthly', 'within', 'latest']],
    ]);
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

  describe('by the dates of writers and by those of the store', () => {
    const day = (text: string): string => `2026-${text}T10:00:00.000Z`;
    const both = (...dates: readonly (readonly [created: string, stored: string])[]): DatedVersion[] =>
      dates.map(([created, stored], index) => ({
        key: String(index + 1),
        version: index + 1,
        createdAt: day(created),
        storedAt: day(stored),
      }));
    const now = new Date(day('06-02'));

    test('an upload that took 40 days is as young as its record', () => {
      const list = both(['06-01', '06-01'], ['04-22', '06-01'], ['06-02', '06-02']);

      expect(kept(list, { last: 1, withinMs: 7 * 86_400_000 }, now)).toEqual([1, 2, 3]);
    });

    test('versions that a key dates back take the place of none that was there on these days', () => {
      const genuine = ['05-27', '05-28', '05-29', '05-30', '05-31', '06-01'].map((date) => [date, date] as const);
      const forged = genuine.map(([date]) => [date, '06-02'] as const);

      expect(kept(both(...genuine, ...forged), { last: 1, daily: 7 }, now)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
      ]);
    });

    test('a store that was copied, all of it stored today, keeps what it kept before', () => {
      const list = both(['03-01', '06-02'], ['04-01', '06-02'], ['05-01', '06-02'], ['06-01', '06-02']);

      expect(kept(list, { last: 1, monthly: 3 }, now)).toEqual([2, 3, 4]);
    });

    test('a writer whose clock is years behind loses nothing that was stored lately', () => {
      const list = both(['05-30', '05-30'], ['05-31', '05-31'], ['01-01', '06-01'], ['01-01', '06-02']);

      expect(kept(list, { last: 1, daily: 4 }, now)).toEqual([1, 2, 3, 4]);
    });
  });

  test('the newest is always among them, and more of a rule never keeps less', () => {
    const day = fc
      .integer({ min: 0, max: 900 })
      .map((days) => new Date(Date.UTC(2024, 0, 1) + days * 864e5).toISOString());
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 30 }), fc.nat(5), fc.nat(5), (moments, last, daily) => {
        const list = moments.map((at, index) => dated(index + 3, at));
        const some = versionsToKeep(list, { last, daily, monthly: 2 }, NOW);
        const more = versionsToKeep(list, { last: last + 1, daily: daily + 1, monthly: 3 }, NOW);
        expect(some.has(String(list.length + 2))).toBe(true);
        expect([...some.keys()].filter((version) => !more.has(version))).toEqual([]);
      }),
    );
  });
});

describe('rules that a program says', () => {
  test('are taken where each is a number of what stays', () => {
    expect(() => checkKeepRules({ last: 1, withinMs: 0, hourly: undefined, yearly: 3 })).not.toThrow();
  });

  test.each([
    [{}, 'keep.last'],
    [{ last: 0 }, 'keep.last'],
    [{ last: 1.5 }, 'keep.last'],
    [{ last: '7' }, 'keep.last'],
    [{ last: 1, withinMs: Number.NaN }, 'keep.withinMs'],
    [{ last: 1, daily: 0 }, 'keep.daily'],
    [{ last: 1, weekley: 4 }, 'keep.weekley'],
  ])('are refused where a mistake would retire what they mean to keep: %j', (rules, named) => {
    expect(() => checkKeepRules(rules as unknown as KeepRules)).toThrow(named);
  });
});
