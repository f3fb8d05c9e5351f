import { expect, test } from 'vitest';
import { movingCost, templateSavings } from '../../../../src/core/money/lifecycle/savings.js';
import { templateOf } from '../../../../src/core/money/lifecycle/templates.js';
import { BYTES_A_GB, pricesIn } from '../../../../src/core/cost/price-table.js';

// By hand, at us-east-1: STANDARD 0.023, GLACIER 0.0036, DEEP_ARCHIVE 0.00099, STANDARD_IA 0.0125, GLACIER_IR 0.004 a GB and month.
const GB = 1000;
const at = (template: Parameters<typeof templateOf>[0], region = 'us-east-1') =>
  templateSavings(templateOf(template), GB * BYTES_A_GB, pricesIn(region));
const months = (template: Parameters<typeof templateOf>[0]) =>
  at(template).months.map(({ templateUsd }) => templateUsd ?? Number.NaN);

test('archive-optimization: STANDARD for a month, GLACIER for five, DEEP_ARCHIVE from then on', () => {
  const { objects, minimumDays, savingUsd, months: all } = at('archive-optimization');
  const costs = months('archive-optimization');
  /** 8 KB in STANDARD and 32 KB in the class beside each chunk. */
  const beside = (usdPerGb: number): number => (objects * (8192 * 0.023 + 32768 * usdPerGb)) / BYTES_A_GB;

  expect(costs[0]).toBeCloseTo(23, 9);
  expect(costs[1]).toBeCloseTo(3.6 + beside(0.0036) + (objects / 1000) * 0.03, 9);
  expect(costs[2]).toBeCloseTo(3.6 + beside(0.0036), 9);
  expect(costs[6]).toBeCloseTo(0.99 + beside(0.00099) + (objects / 1000) * 0.05, 9);
  expect(costs[11]).toBeCloseTo(0.99 + beside(0.00099), 9);
  expect(minimumDays).toBe(180);
  expect(savingUsd).toBeCloseTo(12 * 23 - costs.reduce((sum, cost) => sum + cost, 0), 9);
  expect(all.map(({ standardUsd }) => standardUsd)).toEqual(Array.from({ length: 12 }, () => 23));
});

test('intelligent-tiering: cheaper after 30 and 90 days, and the watch on each chunk is paid', () => {
  const { objects } = at('intelligent-tiering');
  const costs = months('intelligent-tiering');
  const watch = (objects / 1000) * 0.0025;

  expect(costs[0]).toBeCloseTo(23 + watch + (objects / 1000) * 0.01, 9);
  expect(costs[1]).toBeCloseTo(12.5 + watch, 9);
  expect(costs[2]).toBeCloseTo(12.5 + watch, 9);
  expect(costs[3]).toBeCloseTo(4 + watch, 9);
});

test('what has no price is unknown', () => {
  expect(at('archive-optimization', 'nowhere-1')).toMatchObject({ savingUsd: null });
});

test('the requests of all moves', () => {
  expect(movingCost(templateOf('archive-optimization'), 3000, pricesIn('us-east-1'))).toBeCloseTo(3 * (0.03 + 0.05), 9);
  expect(movingCost(templateOf('intelligent-tiering'), 3000, pricesIn('us-east-1'))).toBeCloseTo(3 * 0.01, 9);
  expect(movingCost(templateOf('intelligent-tiering'), 3000, pricesIn(undefined))).toBeNull();
});
