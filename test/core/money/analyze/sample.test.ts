import { expect, test } from 'vitest';
import { errorOfTotal, shuffled } from '../../../../src/core/money/analyze/sample.js';

/** Numbers that look like chance and are the same every time (Park and Miller). */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

test('the error of a total, by hand', () => {
  // Mean 11, variance 20/3: 2.05 * 8 * sqrt((1 - 4/8) * 20/3 / 4).
  expect(errorOfTotal([10, 12, 14, 8], 8)).toBeCloseTo(14.971, 3);
  expect(errorOfTotal([10, 12, 14, 8], 4)).toBe(0);
  expect(errorOfTotal([5, 5, 5], 100)).toBe(0);
});

test('95 of 100 intervals hold the total', () => {
  const random = chance(11);
  const ranges = Array.from({ length: 200 }, () => Math.floor(2000 * random() ** 2));
  const total = ranges.reduce((sum, value) => sum + value, 0);
  let held = 0;
  for (let n = 0; n < 500; n++) {
    const drawn = shuffled(ranges, random).slice(0, 40);
    const estimate = (ranges.length / drawn.length) * drawn.reduce((sum, value) => sum + value, 0);
    if (Math.abs(estimate - total) <= errorOfTotal(drawn, ranges.length)) held += 1;
  }
  expect(held / 500).toBeGreaterThan(0.92);
  expect(held / 500).toBeLessThan(0.98);
});

test('an order of chance holds everything once', () => {
  expect(shuffled([1, 2, 3, 4, 5], chance(3)).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
});
