import { expect, test } from 'vitest';
import { billOf } from '../../../src/core/cost/cost-model.js';
import { pricesIn } from '../../../src/core/cost/price-table.js';
import { storedObject } from '../../../src/core/cost/stored-object.js';

const GB = 2 ** 30;
const list = pricesIn('us-east-1');
const monthOf = (storageClass: string, sizeBytes: number): number | null =>
  billOf([['all', storedObject({ storageClass, sizeBytes }, 30, list)]], list).costUsd;

// Published: 100 GB of objects of 10 KB cost 0.3168 + 1.84 + 0.099 USD a month.
test('the worked example of the AWS pricing calculator: many small objects in DEEP_ARCHIVE', () => {
  expect(10_485_760 * (monthOf('DEEP_ARCHIVE', 10 * 1024) ?? 0)).toBeCloseTo(0.3168 + 1.84 + 0.099, 6);
});

test.each([
  ['STANDARD', 1, (1 / GB) * 0.023],
  ['STANDARD_IA', 1, (131_072 / GB) * 0.0125],
  ['GLACIER_IR', 131_073, (131_073 / GB) * 0.004],
  ['GLACIER', GB, (1 + 32_768 / GB) * 0.0036 + (8192 / GB) * 0.023],
])('an object of %s with %i bytes', (storageClass, sizeBytes, usd) => {
  expect(monthOf(storageClass, sizeBytes)).toBeCloseTo(usd, 14);
});

test.each(['FROZEN', 'EXPRESS_ONEZONE', 'constructor'])('of %s nobody knows what it is billed for', (storageClass) => {
  expect(monthOf(storageClass, 0)).toBeNull();
});
