import { describe, expect, test } from 'vitest';
import { type ClassEstimate, classEstimate } from '../../../src/core/cost/class-estimate.js';
import { pricesIn } from '../../../src/core/cost/price-table.js';
import { firstYear, recommend } from '../../../src/core/cost/recommend.js';

const MB = 2 ** 20;
const CLASSES = ['STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'];
const US = pricesIn('us-east-1');
const estimates = (objects: Parameters<typeof classEstimate>[1], prices = US) => ({
  base: classEstimate('STANDARD', objects, prices),
  others: CLASSES.map((name) => classEstimate(name, objects, prices)),
});

describe('10 TB in chunks of 64 MB', () => {
  const { base, others } = estimates([{ sizeBytes: 64 * MB, count: 163_840 }]);
  const [cold, warm] = recommend(base, others);

  test('what is hardly ever read goes to DEEP_ARCHIVE', () => {
    // STANDARD: 10,240 × 0.023 × 12 + 163.842 × 0.005. DEEP_ARCHIVE: (10,240 + 5) × 0.00099 × 12 + 1.25 × 0.023 × 12 + 163.84 × 0.05 + …
    expect(firstYear(base)).toBeCloseTo(2827.06, 2);
    expect(cold).toMatchObject({ storageClass: 'DEEP_ARCHIVE', isReadAtOnce: false });
    expect(cold?.savedUsd).toBeCloseTo(2827.06 - 130.25, 1);
    expect(cold?.restore?.tier).toBe('bulk');
  });

  test('it pays after the days that its requests and its minimum take', () => {
    // STANDARD costs 7.85 a day; DEEP_ARCHIVE costs 7.37 more to upload and 61.0 for its 180 days.
    expect(cold?.paysOffDays).toBe(9);
  });

  test('what is read at once goes to GLACIER_IR, up to a number of full restores a year', () => {
    expect(warm).toMatchObject({ storageClass: 'GLACIER_IR', isReadAtOnce: true });
    // Saves 2827.06 − (10,240 × 0.004 × 12 + 163.84 × 0.02 + …) = 2332.27; a restore costs 0.03 a GB and 0.0096 a thousand more.
    expect(warm?.savedUsd).toBeCloseTo(2332.27, 1);
    expect(warm?.restoresAYear).toBe(7);
  });
});

describe('never advises what costs more', () => {
  test('as cold classes do for objects of 1 KB', () => {
    const { base, others } = estimates([{ sizeBytes: 1024, count: 1_000_000 }]);

    expect(recommend(base, others)).toEqual([]);
  });

  test('or what has no price', () => {
    const { base, others } = estimates([{ sizeBytes: 64 * MB, count: 1000 }], pricesIn('mars-north-1'));

    expect(recommend(base, others)).toEqual([]);
    const known = estimates([{ sizeBytes: 64 * MB, count: 1000 }]).base;
    expect(recommend(known, others)).toEqual([]);
  });

  test('or another class than the cheapest', () => {
    const { base, others } = estimates([{ sizeBytes: 64 * MB, count: 163_840 }]);
    const deep = others.at(-1) as ClassEstimate;

    expect(recommend(deep, [base, ...others])).toEqual([]);
  });
});
