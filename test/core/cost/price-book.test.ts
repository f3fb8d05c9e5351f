import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { billOf, type Usage, type UsageKind } from '../../../src/core/cost/cost-model.js';
import { ownPrices, type PriceSettings } from '../../../src/core/cost/own-prices.js';
import { bookedPlace, listPrices, withFreeTransfer } from '../../../src/core/cost/price-book.js';
import { PRICED_REGIONS, type PriceList } from '../../../src/core/cost/price-table.js';
import { PROVIDERS } from '../../../src/core/store/providers/provider.js';
import { uploadBill } from '../../../src/core/cost/upload-cost.js';

const GB = 2 ** 30;
const NONE: PriceSettings = { discount: undefined, own: {}, provider: undefined };
const cost = (used: readonly Usage[], prices: PriceList): number | null => billOf([['all', used]], prices).costUsd;

const KINDS = [
  'get',
  'head',
  'put',
  'copy',
  'list',
  'kms',
  'delete',
  'initiateMultipart',
  'uploadPart',
  'completeMultipart',
  'transition',
  'storage',
  'transferOut',
  'retrieval',
] as const satisfies readonly UsageKind[];
const CLASSES = ['STANDARD', 'STANDARD_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE', 'OTHER'];
const place = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  region: fc.constantFrom(...PRICED_REGIONS, 'mars-north-1', undefined),
});
const usage = fc.record({
  kind: fc.constantFrom(...KINDS),
  storageClass: fc.constantFrom(...CLASSES),
  quantity: fc.oneof(fc.constant(0), fc.nat(1000), fc.nat(2 ** 45)),
});
const slack = (usd: number): number => usd * 1e-9 + 1e-9;

describe('at every provider', () => {
  test('nothing costs less than nothing, and more of it never costs less', () => {
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 6 }), usage, fc.nat(2 ** 42), place, (others, one, more, where) => {
        const prices = listPrices(where);
        const before = cost([...others, one], prices);
        const after = cost([...others, { ...one, quantity: one.quantity + more }], prices);

        expect(before ?? 0).toBeGreaterThanOrEqual(0);
        expect(after ?? Infinity).toBeGreaterThanOrEqual((before ?? 0) - slack(before ?? 0));
      }),
    );
  });

  test('what is not known stays so, whatever is beside it', () => {
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 6 }), usage, place, (others, one, where) => {
        const prices = listPrices(where);
        fc.pre(cost([one], prices) === null);

        expect(cost([...others, one], prices)).toBeNull();
        const dear = ownPrices({ ...NONE, discount: 0.5 }, () => prices)(where);
        expect(cost([one], dear)).toBeNull();
      }),
    );
  });

  test('a larger object never costs less to store, and free transfer never more to send', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CLASSES),
        fc.nat(2 ** 42),
        fc.nat(2 ** 42),
        place,
        (storageClass, size, more, where) => {
          const prices = listPrices(where);
          const month = (sizeBytes: number): number | null => uploadBill([{ storageClass, sizeBytes }], prices).costUsd;
          const [small, large] = [month(size), month(size + more)];
          const sent = [{ kind: 'transferOut', quantity: size } as const];
          const [full, freed] = [cost(sent, prices), cost(sent, withFreeTransfer(prices, more))];

          expect(large ?? Infinity).toBeGreaterThanOrEqual((small ?? 0) - slack(small ?? 0));
          expect(freed === null).toBe(full === null);
          expect(freed ?? 0).toBeLessThanOrEqual((full ?? 0) + slack(full ?? 0));
        },
      ),
    );
  });

  test('MinIO and servers that nobody lists have no price', () => {
    for (const provider of ['minio', 'custom'] as const) {
      const prices = listPrices({ provider, region: 'us-east-1' });
      expect(cost([{ kind: 'storage', storageClass: 'STANDARD', quantity: GB }], prices)).toBeNull();
      expect(cost([{ kind: 'put', storageClass: 'STANDARD', quantity: 1 }], prices)).toBeNull();
      expect(cost([{ kind: 'kms', quantity: 1 }], prices)).toBeNull();
      expect(cost([{ kind: 'storage', storageClass: 'STANDARD', quantity: 0 }], prices)).toBe(0);
    }
  });
});

describe('transfer that is free', () => {
  const sent = (bytes: number): readonly Usage[] => [{ kind: 'transferOut', quantity: bytes }];

  test('is 100 GB a month of an AWS account, inside the first band', () => {
    const prices = withFreeTransfer(listPrices({ region: 'us-east-1' }), 0);

    expect(cost(sent(100 * GB), prices)).toBe(0);
    expect(cost(sent(11 * 1024 * GB), prices)).toBeCloseTo((10_240 - 100) * 0.09 + 1024 * 0.085, 6);
  });

  test('is three times what is stored at Backblaze B2', () => {
    const prices = withFreeTransfer(listPrices({ provider: 'b2', region: undefined }), 1e12);

    expect(cost(sent(3e12), prices)).toBe(0);
    expect(cost(sent(4e12), prices)).toBeCloseTo(10, 6);
  });
});

test.each([
  [
    { isAws: true, region: 'eu-west-1', provider: 'wasabi' },
    { provider: 'aws', region: 'eu-west-1' },
  ],
  [
    { isAws: false, region: 'eu-west-1', provider: 'aws' },
    { provider: 'aws', region: 'eu-west-1' },
  ],
  [
    { isAws: false, region: 'eu-west-1', provider: 'b2' },
    { provider: 'b2', region: undefined },
  ],
  [
    { isAws: false, region: 'eu-west-1' },
    { provider: 'custom', region: undefined },
  ],
] as const)('a store of %j is billed by %j', (store, billed) => {
  expect(bookedPlace(store)).toEqual(billed);
});

describe('own prices', () => {
  const aws = { region: 'us-east-1' };
  const book = (own: Record<string, string>, discount?: number): PriceList =>
    ownPrices({ discount, own, provider: undefined })(aws);
  const GB_MONTH = [{ kind: 'storage', storageClass: 'STANDARD', quantity: GB }] as const;

  test('without settings are those of the list', () => {
    expect(book({})).toEqual(listPrices(aws));
  });

  test('a discount holds for every price, bands and tiers included, and is told', () => {
    const prices = book({}, 0.1);

    expect(cost(GB_MONTH, prices)).toBeCloseTo(0.9 * 0.023, 12);
    expect(cost([{ kind: 'restore', storageClass: 'DEEP_ARCHIVE', way: 'bulk', quantity: 1000 }], prices)).toBeCloseTo(
      0.9 * 0.025,
      12,
    );
    expect(cost([{ kind: 'transferOut', quantity: GB }], prices)).toBeCloseTo(0.9 * 0.09, 12);
    expect(prices.terms).toEqual(['10% off the list (costControl.priceDiscount)']);
  });

  test('replace those of the list after the discount', () => {
    const prices = book(
      { 'STANDARD.storage': '0.02', 'GLACIER.retrieval.bulk': '0.001', list: '0', transferOut: '0.01' },
      0.5,
    );

    expect(cost(GB_MONTH, prices)).toBe(0.02);
    expect(cost([{ kind: 'retrieval', storageClass: 'GLACIER', way: 'bulk', quantity: GB }], prices)).toBe(0.001);
    expect(cost([{ kind: 'list', quantity: 1e6 }], prices)).toBe(0);
    expect(cost([{ kind: 'transferOut', quantity: 100 * GB }], prices)).toBe(1);
    expect(cost([{ kind: 'put', storageClass: 'STANDARD', quantity: 1000 }], prices)).toBe(0.0025);
    expect(prices.terms.join(' ')).toContain(
      'own prices of STANDARD.storage, GLACIER.retrieval.bulk, list, transferOut',
    );
  });

  test('are all that a server without a list has', () => {
    const own = { 'STANDARD.storage': '0.004', 'STANDARD.put': '0' };
    const prices = ownPrices({ ...NONE, own })({ provider: 'minio', region: undefined });

    expect(uploadBill([{ storageClass: 'STANDARD', sizeBytes: 10 * GB }], prices).costUsd).toBeCloseTo(0.04, 12);
    expect(cost([{ kind: 'get', storageClass: 'STANDARD', quantity: 1 }], prices)).toBeNull();
  });

  test.each([
    [{ 'STANDARD.storage': '-1' }, 'no amount in USD'],
    [{ 'STANDARD.storage': 'NaN' }, 'no amount in USD'],
    [{ 'STANDARD.storage': '1e999' }, 'no amount in USD'],
    [{ 'STANDARD.store': '1' }, "no price called 'STANDARD.store'"],
    [{ storage: '1' }, "no price called 'storage'"],
    [{ 'GLACIER.retrieval.slow': '1' }, "no price called 'GLACIER.retrieval.slow'"],
    [{ 'STANDARD.storage.bulk': '1' }, "no price called 'STANDARD.storage.bulk'"],
    [{ 'STANDARD.constructor': '1' }, "no price called 'STANDARD.constructor'"],
  ])('%o is refused', (own: Record<string, string>, message) => {
    expect(() => book(own)).toThrow(message);
  });
});
