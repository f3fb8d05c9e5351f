// The worked examples that AWS publishes. Those of "Amazon S3 FAQs", section "Billing", are of us-east-1.
import { describe, expect, test } from 'vitest';
import { billOf, type Usage } from '../../../src/core/cost/cost-model.js';
import { withFreeTransfer } from '../../../src/core/cost/price-book.js';
import { type PriceList, pricesIn } from '../../../src/core/cost/price-table.js';
import { storedObject } from '../../../src/core/cost/stored-object.js';

const GB = 2 ** 30;
const US = pricesIn('us-east-1');
const cents = (used: readonly Usage[], prices: PriceList = US): number | null => {
  const { costUsd } = billOf([['all', used]], prices);
  return costUsd === null ? null : Math.round(costUsd * 100) / 100;
};

describe('Amazon S3 FAQs', () => {
  test('storage: 100 GB for 15 days of March and 100 TB for 16 days are 52,900 GB-months in two bands, $1,215.00', () => {
    const byteHours = 107_374_182_400 * 15 * 24 + 109_951_162_777_600 * 16 * 24;
    expect(byteHours).toBe(42_259_901_212_262_400);

    expect(cents([{ kind: 'storage', storageClass: 'STANDARD', quantity: byteHours / 744 }])).toBe(1215);
  });

  test('versioning: 4 GB for 31 days and 5 GB for 16 days are 6.581 GB-months', () => {
    const bytes = (4_294_967_296 * 31 + 5_368_709_120 * 16) / 31;

    expect(bytes / GB).toBeCloseTo(6.581, 3);
    expect(cents([{ kind: 'storage', storageClass: 'STANDARD', quantity: bytes }])).toBe(0.15);
  });

  test('transfer out: 62 TB with 1 GB free in three bands, $921.51 + $3,481.60 + $860.16 = $5,263.27', () => {
    const asThen = withFreeTransfer({ ...US, freeTransfer: { gb: 1, timesStored: 0 } }, 0);

    expect(cents([{ kind: 'transferOut', quantity: 62 * 1024 * GB }], asThen)).toBe(5263.27);
  });

  test('requests: 10,000 files in and 20,000 out each day of March, 5,000 deletions, $1.55 + $0.25 + $0.00', () => {
    expect(cents([{ kind: 'put', storageClass: 'STANDARD', quantity: 310_000 }])).toBe(1.55);
    expect(cents([{ kind: 'get', storageClass: 'STANDARD', quantity: 620_000 }])).toBe(0.25);
    expect(cents([{ kind: 'delete', quantity: 5000 }])).toBe(0);
  });

  test('retrieval: 300 GB out of STANDARD_IA, $3.00', () => {
    expect(cents([{ kind: 'retrieval', storageClass: 'STANDARD_IA', quantity: 300 * GB }])).toBe(3);
  });

  test('S3 Express One Zone: 10 GB, a million writes and nine million reads, $1.10 + $1.13 + $0.27', () => {
    expect(cents([{ kind: 'storage', storageClass: 'EXPRESS_ONEZONE', quantity: 10 * GB }])).toBe(1.1);
    expect(cents([{ kind: 'put', storageClass: 'EXPRESS_ONEZONE', quantity: 1e6 }])).toBe(1.13);
    expect(cents([{ kind: 'get', storageClass: 'EXPRESS_ONEZONE', quantity: 9e6 }])).toBe(0.27);
  });

  test('100,000 archived objects of 1 GB: 32 KB each more in their class and 8 KB in STANDARD', () => {
    // The page counts 1 KB as 0.000001 GB: 100,003.2 GB of the archive and 0.8 GB of STANDARD.
    const used = storedObject({ storageClass: 'GLACIER', sizeBytes: GB }, undefined, US).map((one) => ({
      ...one,
      quantity: one.quantity * 100_000,
    }));
    const gbOf = (storageClass: string): number | undefined => {
      const found = used.find((one) => one.kind === 'storage' && one.storageClass === storageClass);
      return found && found.quantity / GB;
    };

    expect(gbOf('GLACIER')).toBeCloseTo(100_003.2, 0);
    expect(gbOf('STANDARD')).toBeCloseTo(0.8, 1);
    expect(cents(used)).toBe(360.03);
  });
});

describe('Manage data retrieval and storage costs of S3 Glacier (AWS re:Post knowledge center)', () => {
  const retrieved = (way: 'expedited' | 'standard' | 'bulk'): number | null =>
    cents([
      { kind: 'restore', storageClass: 'GLACIER', way, quantity: 15_000_000 },
      { kind: 'retrieval', storageClass: 'GLACIER', way, quantity: 102_400 * GB },
    ]);

  test('standard: $750 + $1,024 = $1,774', () => expect(retrieved('standard')).toBe(1774));

  test('expedited: $150,000 + $3,072 = $153,072', () => expect(retrieved('expedited')).toBe(153_072));

  test('bulk: nothing', () => expect(retrieved('bulk')).toBe(0));
});
