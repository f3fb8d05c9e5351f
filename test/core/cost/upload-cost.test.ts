import { expect, test } from 'vitest';
import { ownPrices } from '../../../src/core/cost/own-prices.js';
import { listPrices } from '../../../src/core/cost/price-book.js';
import type { PriceBook } from '../../../src/core/cost/price-table.js';
import { actualUploadCost, uploadCost } from '../../../src/core/cost/upload-cost.js';

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

test('counts a request for each segment of the manifest of many entries, as for the manifest', () => {
  const objects = of('STANDARD', GB);
  const requests = (entries: number): number => uploadCost(objects, { ...AWS, entries }).lines[1]?.quantity ?? 0;

  expect([49_999, 50_000, 1_000_000, 100_000_000].map(requests)).toEqual([3, 16, 248, 2038]);
});

test('is unknown where a price is, and never where nothing is stored or it is a folder', () => {
  const objects = of('STANDARD', 5);

  expect(uploadCost(objects, { ...AWS, isAws: false }).costUsd).toBeNull();
  expect(uploadCost(objects, { ...AWS, region: 'mars-1' }).costUsd).toBeNull();
  expect(uploadCost([], { ...AWS, isAws: false }).costUsd).toBe(0);
  expect(uploadCost(objects, { region: undefined, isAws: false, isFolder: true }).costUsd).toBe(0);
});

test('counts a request to KMS for each object and the manifest, at the price of the list or of the config file', () => {
  const objects = of('STANDARD', GB, 999);
  const plain = uploadCost(objects, AWS).costUsd ?? 0;
  const own = ownPrices({ discount: undefined, own: { kms: '0.5' }, provider: undefined });
  const encrypted = { ...AWS, usesKms: true };

  expect((uploadCost(objects, encrypted).costUsd ?? 0) - plain).toBeCloseTo(0.003, 9);
  expect((uploadCost(objects, encrypted, own).costUsd ?? 0) - plain).toBeCloseTo(0.5, 9);
  expect(uploadCost(objects, { ...encrypted, isAws: false }).costUsd).toBeNull();
});

test('charges what is written to EXPRESS_ONEZONE by its size; where that price is not known, the cost is not', () => {
  const objects = of('EXPRESS_ONEZONE', 100 * GB);
  const book: PriceBook = (place) => ({
    ...listPrices(place),
    rules: { EXPRESS_ONEZONE: { minStorageDays: 0, minBillableBytes: 0 } },
  });

  const east = uploadCost(objects, { ...AWS, region: 'us-east-1' }, book);
  const made = actualUploadCost(
    { objects, requests: { put: 3, get: 0, list: 0, head: 0, copy: 0 } },
    { region: 'us-east-1' },
    book,
  );

  expect(east.lines.map(({ item }) => item)).toEqual(['storage', 'requests', 'upload']);
  expect(east.lines[2]?.costUsd).toBeCloseTo(100 * 0.0032, 9);
  expect(made.lines[2]?.costUsd).toBeCloseTo(100 * 0.0032, 9);
  expect(made.costUsd).toBeCloseTo(100 * (0.0032 + 0.11) + (0.00113 + 2 * 0.005) / 1000, 9);
  expect(uploadCost(objects, AWS, book).lines[2]?.costUsd).toBeNull();
  expect(uploadCost(objects, AWS, book).costUsd).toBeNull();
});
