import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { billOf, type Usage } from '../../../src/core/cost/cost-model.js';
import { microsOf } from '../../../src/core/cost/money.js';
import { type PriceList, pricesIn } from '../../../src/core/cost/price-table.js';
import prices from '../../../src/core/cost/prices.json' with { type: 'json' };

const GB = 2 ** 30;
const cost = (usages: readonly Usage[], list = pricesIn('us-east-1')): number | null =>
  billOf([['all', usages]], list).costUsd;
const known = (usages: readonly Usage[], list: PriceList): number => cost(usages, list) ?? Number.NaN;
const stored = (gb: number, days?: number): Usage => ({
  kind: 'storage',
  storageClass: 'STANDARD',
  quantity: gb * GB,
  ...(days === undefined ? {} : { days }),
});

describe('bands', () => {
  test('are filled by all that is stored together, and only by it', () => {
    expect(cost([stored(60_000)])).toBeCloseTo(51_200 * 0.023 + 8800 * 0.022, 6);
    expect(cost([stored(30_000), stored(30_000)])).toBeCloseTo(51_200 * 0.023 + 8800 * 0.022, 6);
    const { lines } = billOf(
      [1, 2].map((item) => [item, [stored(30_000)]]),
      pricesIn('us-east-1'),
    );
    expect(lines.map(({ costUsd }) => costUsd)).toEqual([30_000 * 0.023, 30_000 * 0.023]);
  });

  test('begin anew each month, and take the average of a part of one', () => {
    expect(cost([stored(51_200, 90)])).toBeCloseTo(3 * 51_200 * 0.023, 6);
    expect(cost([stored(102_400, 15)])).toBeCloseTo(51_200 * 0.023, 6);
  });

  test('that end leave the rest without a price', () => {
    const us = pricesIn('us-east-1');
    const list = { ...us, dataTransferOutInternet: { tiers: [{ upToGB: 10, usdPerGB: 1 }] } };

    expect(cost([{ kind: 'transferOut', quantity: 10 * GB }], list)).toBe(10);
    expect(cost([{ kind: 'transferOut', quantity: 10 * GB + 1 }], list)).toBeNull();
  });
});

test('the worked example of the AWS knowledge center: 15 million objects of 100 TB out of GLACIER', () => {
  const out = { storageClass: 'GLACIER', way: 'standard' } as const;
  const { lines, costUsd } = billOf(
    [
      ['requests', [{ ...out, kind: 'restore', quantity: 15_000_000 }]],
      ['retrieval', [{ ...out, kind: 'retrieval', quantity: 102_400 * GB }]],
    ],
    pricesIn('us-east-1'),
  );

  expect(lines).toEqual([
    { item: 'requests', quantity: 15_000_000, costUsd: 750 },
    { item: 'retrieval', quantity: 102_400 * GB, costUsd: 1024 },
  ]);
  expect(costUsd).toBe(1774);
});

describe('whatever is used', () => {
  const CLASSES = [
    'STANDARD',
    'STANDARD_IA',
    'ONEZONE_IA',
    'INTELLIGENT_TIERING',
    'GLACIER_IR',
    'GLACIER',
    'DEEP_ARCHIVE',
  ];
  const list = fc.constantFrom(...Object.keys(prices.regions).map(pricesIn));
  const storageClass = fc.constantFrom(...CLASSES);
  const quantity = fc.oneof(fc.nat(1000), fc.nat(2 ** 40), fc.nat(2 ** 50));
  const usage = fc.oneof(
    fc.record({ kind: fc.constant('get' as const), storageClass, quantity }),
    fc.record({
      kind: fc.constant('storage' as const),
      storageClass,
      quantity,
      days: fc.integer({ min: 1, max: 400 }),
    }),
    fc.record({
      kind: fc.constantFrom('retrieval' as const, 'restore' as const),
      storageClass: fc.constantFrom('GLACIER', 'DEEP_ARCHIVE'),
      way: fc.constantFrom('standard' as const, 'bulk' as const),
      quantity,
    }),
  );
  const usages = fc.array(usage, { maxLength: 8 });
  // Sums of prices differ in their last bits by the order in which they are added.
  const slack = (usd: number): number => usd * 1e-9 + 1e-12;

  test('the total is the sum of the lines, and a line is at most the sum of its parts', () => {
    fc.assert(
      fc.property(fc.array(usages, { maxLength: 5 }), list, (lists, priceList) => {
        const { costUsd, lines } = billOf(lists.entries(), priceList);
        const sum = lines.reduce((total, line) => total + (line.costUsd ?? Number.NaN), 0);

        expect(costUsd).toBeCloseTo(sum, 6);
        for (const [index, own] of lists.entries()) {
          const parts = own.reduce((total, one) => total + known([one], priceList), 0);
          const flat = own.every((one) => one.kind !== 'storage' || !/STANDARD$|TIERING$/.test(one.storageClass));
          const together = lines[index]?.costUsd ?? Number.NaN;
          expect(together).toBeLessThanOrEqual(parts + slack(parts));
          expect(together).toBeGreaterThanOrEqual(flat ? parts - slack(parts) : 0);
        }
      }),
    );
  });

  test('more of it, for longer, or something else beside it never costs less', () => {
    fc.assert(
      fc.property(usages, usage, fc.nat(2 ** 45), fc.nat(400), list, (others, one, more, longer, priceList) => {
        const before = known([...others, one], priceList);
        const larger = { ...one, quantity: one.quantity + more };
        const kept = 'days' in one ? { ...one, days: one.days + longer } : one;

        expect(before).toBeGreaterThanOrEqual(known(others, priceList) - slack(before));
        for (const other of [larger, kept])
          expect(known([...others, other], priceList)).toBeGreaterThanOrEqual(before - slack(before));
      }),
    );
  });

  test('one part of it that nobody has a price of makes its line and the total unknown, and no other line', () => {
    const unknown = fc.constantFrom<Usage>(
      { kind: 'get', storageClass: 'FROZEN', quantity: 1 },
      { kind: 'storage', storageClass: 'STANDARD', quantity: 0, days: null },
      { kind: 'restore', storageClass: 'DEEP_ARCHIVE', way: 'expedited', quantity: 1 },
    );
    fc.assert(
      fc.property(usages, unknown, usages, list, (before, one, after, priceList) => {
        const { costUsd, lines } = billOf(
          [
            ['a', before],
            ['b', [...before, one, ...after]],
          ],
          priceList,
        );

        expect(costUsd).toBeNull();
        expect(lines.map((line) => line.costUsd === null)).toEqual([false, true]);
      }),
    );
  });

  test('a single request is not free after rounding either', () => {
    fc.assert(
      fc.property(storageClass, fc.integer({ min: 1, max: 100 }), list, (own, requests, priceList) => {
        const usd = known([{ kind: 'get', storageClass: own, quantity: requests }], priceList);

        expect(microsOf(usd)).toBeGreaterThan(0);
      }),
    );
  });

  test('what has a price is never free, and nothing always is', () => {
    fc.assert(
      fc.property(usage, list, (one, priceList) => {
        const isFree =
          one.kind !== 'get' && one.kind !== 'storage' && one.storageClass === 'GLACIER' && one.way === 'bulk';

        expect(known([one], priceList) > 0).toBe(one.quantity > 0 && !isFree);
        expect(cost([{ ...one, storageClass: 'FROZEN', quantity: 0 }], priceList)).toBe(0);
      }),
    );
  });
});
