import { expect, test } from 'vitest';
import { uploadCost } from '../../../src/core/cost/upload-cost.js';

const GB = 2 ** 30;
const AWS = { region: 'us-west-2', isAws: true, isFolder: false };
const of = (storageClass: string, sizeBytes: number, count = 1) =>
  Array.from({ length: count }, () => ({ storageClass, sizeBytes }));

test('is a month of storage, and a request for each object, the manifest and the record', () => {
  const { costUsd, lines } = uploadCost([...of('STANDARD', GB, 998), ...of('DEEP_ARCHIVE', GB, 1000)], AWS);
  const [storage, requests] = lines.map((line) => line.costUsd ?? Number.NaN);

  // 40 KB beside each cold object, 8 of them at the rate of STANDARD.
  const beside = (1000 * (32 * 0.00099 + 8 * 0.023)) / 2 ** 20;
  expect(storage).toBeCloseTo(998 * 0.023 + 1000 * 0.00099 + beside, 6);
  expect(requests).toBeCloseTo(0.005 + 0.05, 9);
  expect(costUsd).toBeCloseTo((storage ?? 0) + (requests ?? 0), 9);
});

test('bills small objects as large where AWS does, and watching those that it watches', () => {
  const [small] = uploadCost(of('STANDARD_IA', 1, 8192), AWS).lines;
  const [watched] = uploadCost(
    [...of('INTELLIGENT_TIERING', 131_072, 1000), ...of('INTELLIGENT_TIERING', 1)],
    AWS,
  ).lines;

  expect(small?.costUsd).toBeCloseTo(0.0125, 9);
  expect(watched?.costUsd).toBeCloseTo((1000 * 131_072 * 0.023) / GB + 0.0025, 6);
});

test('is unknown where a price is, and never where nothing is stored or it is a folder', () => {
  const objects = of('STANDARD', 5);

  expect(uploadCost(objects, { ...AWS, isAws: false }).costUsd).toBeNull();
  expect(uploadCost(objects, { ...AWS, region: 'mars-1' }).costUsd).toBeNull();
  expect(uploadCost([], { ...AWS, isAws: false }).costUsd).toBe(0);
  expect(uploadCost(objects, { region: undefined, isAws: false, isFolder: true }).costUsd).toBe(0);
});
