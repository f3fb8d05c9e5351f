import { describe, expect, test } from 'vitest';
import { earlyDeletion } from '../../../src/core/cost/early-deletion.js';

const GB = 2 ** 30;
const now = new Date('2026-06-30T00:00:00Z');
const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
const at = (storageClass: string, days: number, sizeBytes = 100 * GB) => ({
  storageClass,
  sizeBytes,
  lastModified: daysAgo(days),
});

describe('earlyDeletion', () => {
  test('30-day-old GLACIER data costs the other 60 days', () => {
    const { costUsd, byClass } = earlyDeletion([at('GLACIER', 30)], { region: 'us-west-2', now });

    // 100 GB (and 40 KB) at 0.0036 a GB and month, two months.
    expect(costUsd).toBeCloseTo(100 * 0.0036 * 2, 5);
    expect(byClass).toMatchObject([{ storageClass: 'GLACIER', minimumDays: 90, objects: 1, bytes: 100 * GB }]);
  });

  test.each([
    ['DEEP_ARCHIVE', 0, 100 * 0.00099 * 6],
    ['STANDARD_IA', 15, 100 * 0.0125 * 0.5],
    ['ONEZONE_IA', 29, (100 * 0.01) / 30],
    ['GLACIER_IR', 60, 100 * 0.004],
  ])('%s after %i days', (storageClass, days, usd) => {
    expect(earlyDeletion([at(storageClass, days)], { region: 'us-west-2', now }).costUsd).toBeCloseTo(usd, 4);
  });

  test('what is old enough, or of a class without a minimum, costs nothing', () => {
    const objects = [at('GLACIER', 90), at('STANDARD', 0), at('INTELLIGENT_TIERING', 0), at('STANDARD_IA', 31)];

    expect(earlyDeletion(objects, { region: 'us-west-2', now })).toMatchObject({ costUsd: 0, byClass: [] });
  });

  test('small objects are billed as 128 KB where AWS bills them so', () => {
    const { costUsd } = earlyDeletion([at('STANDARD_IA', 0, 1)], { region: 'us-west-2', now });

    expect(costUsd).toBeCloseTo((131_072 / GB) * 0.0125, 9);
  });

  test('what AWS keeps beside cold objects is charged, too: 32 KB at their own rate, 8 KB at that of STANDARD', () => {
    const objects = Array.from({ length: 1000 }, () => at('DEEP_ARCHIVE', 60, 0));
    const { costUsd } = earlyDeletion(objects, { region: 'us-west-2', now });

    expect(costUsd).toBeCloseTo(((1000 * 1024) / GB) * (32 * 0.00099 + 8 * 0.023) * 4, 12);
  });

  test('an object from the future is charged for the whole minimum and not more', () => {
    const { costUsd } = earlyDeletion([at('GLACIER_IR', -500)], { region: 'us-west-2', now });

    expect(costUsd).toBeCloseTo(100 * 0.004 * 3, 5);
  });

  test.each([
    ['a class that is not known', at('FROZEN', 1), 'us-west-2'],
    ['a class that is named like something of JavaScript', at('constructor', 1), 'us-west-2'],
    ['a class without a known minimum, of nothing', at('EXPRESS_ONEZONE', 1, 0), 'us-east-1'],
    ['a region that is not known', at('GLACIER', 1), 'mars-north-1'],
    ['no region', at('GLACIER', 1), undefined],
  ])('%s has an unknown price, which is never zero', (_what, object, region) => {
    const fees = earlyDeletion([at('DEEP_ARCHIVE', 1), object], { region, now });

    expect(fees.costUsd).toBeNull();
    expect(fees.byClass.at(-1)).toMatchObject({ storageClass: object.storageClass, objects: 1, costUsd: null });
    expect(fees.pricesOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});
