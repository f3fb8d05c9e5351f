import { describe, expect, test } from 'vitest';
import { billOf, type Usage } from '../../../src/core/cost/cost-model.js';
import { pricesIn } from '../../../src/core/cost/price-table.js';
import prices from '../../../src/core/cost/prices.json' with { type: 'json' };

const GB = 2 ** 30;
const regions = Object.keys(prices.regions);
const cost = (region: string | undefined, usage: Usage): number | null =>
  billOf([['all', [usage]]], pricesIn(region)).costUsd;

describe('the table of prices', () => {
  test('has the fourteen regions that were asked for, its date and its sources', () => {
    const core = Object.values(prices.regions).filter((region) => region.core);

    expect(core).toHaveLength(14);
    expect(prices.compiled).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const source of Object.values(prices.sources)) expect(source.date).not.toBe('');
  });

  test.each(regions)(
    '%s has a price of storage, GET and thawing for every class but the one it may not sell',
    (region) => {
      for (const storageClass of ['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE']) {
        expect(cost(region, { kind: 'storage', storageClass, quantity: GB })).toBeGreaterThan(0);
        expect(cost(region, { kind: 'get', storageClass, quantity: 1 })).toBeGreaterThan(0);
      }
      for (const way of ['standard', 'bulk'] as const) {
        const thaw = { kind: 'retrieval', way, quantity: GB } as const;
        expect(cost(region, { ...thaw, storageClass: 'GLACIER' })).not.toBeNull();
        expect(cost(region, { ...thaw, storageClass: 'DEEP_ARCHIVE' })).toBeGreaterThan(0);
      }
    },
  );

  test.each(regions)('%s has 0.03 USD for 10,000 requests to KMS', (region) => {
    expect(cost(region, { kind: 'kms', quantity: 10_000 })).toBeCloseTo(0.03, 9);
  });

  test('bulk of GLACIER is really free, expedited of DEEP_ARCHIVE is not sold', () => {
    for (const kind of ['retrieval', 'restore'] as const) {
      expect(cost('eu-west-1', { kind, storageClass: 'GLACIER', way: 'bulk', quantity: GB })).toBe(0);
      expect(cost('eu-west-1', { kind, storageClass: 'DEEP_ARCHIVE', way: 'expedited', quantity: GB })).toBeNull();
    }
  });

  test.each([
    ['us-east-1', 'GLACIER', 'standard', 0.01, 0.05],
    ['sa-east-1', 'DEEP_ARCHIVE', 'bulk', 0.008, 0.035],
    ['eu-central-1', 'GLACIER', 'expedited', 0.036, 12],
    ['us-west-2', 'GLACIER_IR', 'instant', 0.03, 0],
  ] as const)('%s %s %s', (region, storageClass, way, perGB, per1000) => {
    expect(cost(region, { kind: 'retrieval', storageClass, way, quantity: GB })).toBe(perGB);
    expect(cost(region, { kind: 'restore', storageClass, way, quantity: 1000 })).toBe(per1000);
  });

  test.each([
    ['a region without that price', 'me-central-1', { kind: 'transferOut' }],
    ['a class that the region does not sell', 'eu-west-2', { kind: 'storage', storageClass: 'EXPRESS_ONEZONE' }],
    ['KMS in China', 'cn-north-1', { kind: 'kms' }],
    ['KMS in GovCloud', 'us-gov-west-1', { kind: 'kms' }],
    ['KMS in no region', undefined, { kind: 'kms' }],
    ['no region', undefined, { kind: 'get', storageClass: 'STANDARD' }],
    ['a class that is not known', 'us-east-1', { kind: 'storage', storageClass: 'FROZEN' }],
    ['no class', 'us-east-1', { kind: 'storage' }],
    ['a way that the class does not have', 'us-east-1', { kind: 'retrieval', storageClass: 'GLACIER', way: 'instant' }],
  ] as const)('%s has no price', (_what, region, usage) => {
    expect(cost(region, { ...usage, quantity: 1 })).toBeNull();
  });
});
