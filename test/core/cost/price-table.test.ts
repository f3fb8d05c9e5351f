import { describe, expect, test } from 'vitest';
import prices from '../../../src/core/cost/prices.json' with { type: 'json' };
import { getPrice, retrievalPrice, storagePrice, transferOutPrice } from '../../../src/core/cost/price-table.js';

const regions = Object.keys(prices.regions);

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
        expect(storagePrice(region, storageClass)).toBeGreaterThan(0);
        expect(getPrice(region, storageClass)).toBeGreaterThan(0);
      }
      for (const tier of ['standard', 'bulk'] as const) {
        expect(retrievalPrice(region, 'GLACIER', tier).perGB).not.toBeNull();
        expect(retrievalPrice(region, 'DEEP_ARCHIVE', tier).perGB).toBeGreaterThan(0);
      }
    },
  );

  test('bulk of GLACIER is really free, expedited of DEEP_ARCHIVE is not sold', () => {
    expect(retrievalPrice('eu-west-1', 'GLACIER', 'bulk')).toEqual({ perGB: 0, perRequest: 0 });
    expect(retrievalPrice('eu-west-1', 'DEEP_ARCHIVE', 'expedited')).toEqual({ perGB: null, perRequest: null });
  });

  test.each([
    ['us-east-1', 'GLACIER', 'standard', 0.01, 0.05],
    ['sa-east-1', 'DEEP_ARCHIVE', 'bulk', 0.008, 0.035],
    ['eu-central-1', 'GLACIER', 'expedited', 0.036, 12],
    ['us-west-2', 'GLACIER_IR', 'instant', 0.03, 0],
  ] as const)('%s %s %s', (region, storageClass, way, perGB, per1000) => {
    const price = retrievalPrice(region, storageClass, way);

    expect(price.perGB).toBe(perGB);
    expect(price.perRequest).toBeCloseTo(per1000 / 1000, 12);
  });

  test.each([
    ['a region without that price', () => transferOutPrice('me-central-1', 1)],
    ['a class that the region does not sell', () => storagePrice('eu-west-2', 'EXPRESS_ONEZONE')],
    ['no region', () => getPrice(undefined, 'STANDARD')],
    ['a class that is not known', () => storagePrice('us-east-1', 'FROZEN')],
    ['a way that the class does not have', () => retrievalPrice('us-east-1', 'GLACIER', 'instant').perGB],
  ])('%s is null', (_what, price) => {
    expect(price()).toBeNull();
  });
});
