import { expect, test } from 'vitest';
import { uploadCost } from '../../../src/core/cost/upload-cost.js';
import { uploadSavings } from '../../../src/core/cost/upload-savings.js';

const place = { region: 'us-west-2', isAws: true, isFolder: false };

test('small files in a class with a smallest size are what packing saves', () => {
  // A chunk of 32 MiB instead of 100,000 files of 1 KiB that compress to a third: 128 KiB are billed for each.
  const actual = uploadCost([{ sizeBytes: 2 ** 25, storageClass: 'GLACIER_IR' }], place);
  const copy = { files: 100_000, bytes: 100_000 * 1024, storageClass: 'GLACIER_IR' };

  const { monthlySavingUsd, requestsSavingUsd } = uploadSavings(actual, copy, place);

  expect(monthlySavingUsd).toBeCloseTo(((100_000 * 131_072 - 2 ** 25) / 2 ** 30) * 0.004, 8);
  expect(requestsSavingUsd).toBeCloseTo((99_999 * 0.02) / 1000, 8);
});

test('an upload that does not compress saves nothing, and costs no more than it does', () => {
  const actual = uploadCost([{ sizeBytes: 2000, storageClass: 'STANDARD' }], place);

  const { monthlySavingUsd } = uploadSavings(actual, { files: 1, bytes: 1000, storageClass: 'STANDARD' }, place);

  expect(monthlySavingUsd).toBeLessThan(0);
});

test('a billion files are priced together', () => {
  const copy = { files: 1e9, bytes: 1e12, storageClass: 'STANDARD' };

  const { requestsSavingUsd } = uploadSavings(uploadCost([], place), copy, place);

  expect(requestsSavingUsd).toBeCloseTo(((1e9 + 2) * 0.005) / 1000, 8);
});
