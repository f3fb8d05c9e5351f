// Hand-computed with the prices of us-east-1: STANDARD 0.023 a GiB and month, STANDARD_IA 0.0125, GLACIER_IR 0.004, DEEP_ARCHIVE
// 0.00099; transitions 0.01 (STANDARD_IA), 0.02 (GLACIER_IR) and 0.05 (DEEP_ARCHIVE) for 1000 objects.
import { describe, expect, test } from 'vitest';
import { type MoveSaving, moveSavings, payOffDays } from '../../../../src/core/money/analyze/move-savings.js';
import type { Cell } from '../../../../src/core/money/analyze/tally.js';
import { listPrices } from '../../../../src/core/cost/price-book.js';

const prices = listPrices({ region: 'us-east-1' });
const GiB = 2 ** 30;
const KiB = 1024;
const cell = (storageClass: string, ageDays: number, objects: number, size: number): Cell => {
  const fromBytes = size === 0 ? 0 : 2 ** Math.floor(Math.log2(size));
  return { storageClass, ageDays, objects, bytes: objects * size, fromBytes };
};
const move = (cells: readonly Cell[], to: string): MoveSaving | undefined =>
  moveSavings(cells, prices).find(({ storageClass }) => storageClass === to);

describe('moving to another class', () => {
  test('is never advised for small objects: transitions, overhead and least sizes cost more', () => {
    const moves = moveSavings([cell('STANDARD', 365, 1_000_000, 10 * KiB)], prices);
    expect(moves).toHaveLength(6);
    for (const one of moves)
      expect([one.storageClass, one.fromBytes, one.objects, one.firstYearSavedUsd]).toEqual([
        one.storageClass,
        null,
        0,
        0,
      ]);
  });

  test('leaves small objects where they are beside large ones', () => {
    const cells = [cell('STANDARD', 365, 1_000_000, 10 * KiB), cell('STANDARD', 365, 10_000, GiB)];
    const deep = move(cells, 'DEEP_ARCHIVE');
    // 10 000 GiB less 32 KiB an object as DEEP_ARCHIVE and 8 KiB as STANDARD.
    const saved = 10_000 * (0.023 - 0.00099) - (10_000 / 1024 ** 2) * (32 * 0.00099 + 8 * 0.023);
    expect(deep).toMatchObject({ fromBytes: GiB, objects: 10_000, bytes: 10_000 * GiB, earlyDeletionUsd: 0 });
    expect(deep?.monthlySavedUsd).toBeCloseTo(saved, 6);
    expect(deep?.transitionsUsd).toBeCloseTo(0.5, 9);
    expect(deep?.firstYearSavedUsd).toBeCloseTo(12 * saved - 0.5, 6);
    expect(deep && payOffDays(deep)).toBe(1);
  });

  test('pays for the rest of the minimum time of the class that is left', () => {
    const deep = move([cell('GLACIER_IR', 40, 1000, GiB)], 'DEEP_ARCHIVE');
    const saved = 1000 * (0.004 - 0.00099) - (1000 / 1024 ** 2) * (32 * 0.00099 + 8 * 0.023);
    expect(deep?.earlyDeletionUsd).toBeCloseTo((1000 * 0.004 * 50) / 30, 6);
    expect(deep?.firstYearSavedUsd).toBeCloseTo(12 * saved - (1000 * 0.004 * 50) / 30 - 0.05, 6);
  });

  test('waits until objects are 30 days old where S3 does', () => {
    const [young, old] = [10, 30].map((days) => move([cell('STANDARD', days, 1000, GiB)], 'STANDARD_IA'));
    expect(old?.firstYearSavedUsd).toBeCloseTo(12 * 10.5 - 0.01, 6);
    expect(young?.firstYearSavedUsd).toBeCloseTo(12 * 10.5 - 0.01 - (10.5 * 20) / 30, 6);
  });

  test('counts the least size of a class: 64 KiB are billed as 128', () => {
    // 64 KiB in STANDARD_IA cost 2 x 0.0125 a GiB, which is more than 0.023.
    expect(move([cell('STANDARD', 365, 100_000_000, 64 * KiB)], 'STANDARD_IA')?.fromBytes).toBeNull();
    expect(move([cell('STANDARD', 365, 100_000_000, 128 * KiB)], 'STANDARD_IA')?.fromBytes).toBe(128 * KiB);
  });

  test('does not promise what depends on how often something is read, and goes to no hotter class', () => {
    expect(move([cell('STANDARD', 365, 1000, GiB)], 'INTELLIGENT_TIERING')?.firstYearSavedUsd).toBe(0);
    expect(moveSavings([cell('DEEP_ARCHIVE', 365, 1000, GiB)], prices)).toEqual([]);
  });

  test('is unknown where a price is, and nothing where nothing is sold', () => {
    const cells = [cell('STANDARD', 365, 1000, GiB)];
    const { STANDARD, ...others } = prices.classes;
    const unknown = { ...prices, classes: { ...others, STANDARD: { ...STANDARD, storage: null } } } as typeof prices;
    for (const one of moveSavings(cells, unknown)) expect([one.firstYearSavedUsd, one.objects]).toEqual([null, 0]);
    expect(moveSavings(cells, listPrices({ provider: 'wasabi', region: undefined }))).toEqual([]);
  });
});
