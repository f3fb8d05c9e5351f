import { describe, expect, test } from 'vitest';
import { capVerdict, refuseCost } from '../../../src/core/cost/cost-cap.js';
import {
  estimateRetrieval,
  type RetrievalChunk,
  type RetrievalOptions,
} from '../../../src/core/cost/retrieval-cost.js';

const GB = 2 ** 30;
const chunk = (storageClass: string, changes: Partial<RetrievalChunk> = {}): RetrievalChunk => ({
  sizeBytes: 100 * GB,
  storageClass,
  isReadable: false,
  ...changes,
});
const estimate = (chunks: readonly RetrievalChunk[], changes: Partial<RetrievalOptions> = {}) =>
  estimateRetrieval({ chunks, region: 'us-east-1', isAws: true, tier: 'standard', days: 7, ...changes });
const costs = (...args: Parameters<typeof estimate>): Record<string, number | null> =>
  Object.fromEntries(estimate(...args).lines.map(({ item, costUsd }) => [item, costUsd]));

const TRANSFER = 100 * 0.09;
const COPY = (100 * 0.023 * 7) / 30;

describe('what 100 GB cost in us-east-1', () => {
  test.each([
    ['GLACIER', 'expedited', 3, 0.0004 / 1000 + 0.01],
    ['GLACIER', 'standard', 1, 0.0004 / 1000 + 0.05 / 1000],
    ['GLACIER', 'bulk', 0, 0.0004 / 1000],
    ['DEEP_ARCHIVE', 'standard', 2, 0.0004 / 1000 + 0.1 / 1000],
    ['DEEP_ARCHIVE', 'bulk', 0.25, 0.0004 / 1000 + 0.025 / 1000],
  ] as const)('%s, %s', (storageClass, tier, retrieval, requests) => {
    const { retrieval: got, requests: asked, temporaryCopy, transfer } = costs([chunk(storageClass)], { tier });

    expect(got).toBeCloseTo(retrieval, 9);
    expect(asked).toBeCloseTo(requests, 9);
    expect(temporaryCopy).toBeCloseTo(COPY, 9);
    expect(transfer).toBeCloseTo(TRANSFER, 9);
  });

  test.each([
    ['STANDARD', 0],
    ['INTELLIGENT_TIERING', 0],
    ['STANDARD_IA', 1],
    ['ONEZONE_IA', 1],
    ['GLACIER_IR', 3],
  ])('%s is read at once, for its own fee', (storageClass, retrieval) => {
    const cost = costs([chunk(storageClass)]);

    expect(cost['retrieval']).toBeCloseTo(retrieval, 9);
    expect(cost).toMatchObject({ temporaryCopy: 0 });
  });
});

describe('an estimate', () => {
  test('thaws whole chunks and transfers what is read of them', () => {
    const part = chunk('GLACIER', { fetchedBytes: GB, gets: 2 });

    expect(costs([part])).toMatchObject({ retrieval: 1, transfer: 0.09 });
    expect(costs([{ ...part, storageClass: 'GLACIER_IR' }])).toMatchObject({ retrieval: 0.03, transfer: 0.09 });
    expect(costs([part])['requests']).toBeCloseTo((2 * 0.0004 + 0.05) / 1000, 12);
  });

  test('does not pay again for what is readable or on its way', () => {
    expect(costs([chunk('GLACIER', { isReadable: true })])).toMatchObject({ retrieval: 0, temporaryCopy: 0 });
  });

  test('is the sum of its lines, of every class', () => {
    const { costUsd, lines } = estimate([chunk('GLACIER'), chunk('STANDARD_IA'), chunk('DEEP_ARCHIVE')]);

    expect(costUsd).toBeCloseTo(
      lines.reduce((sum, line) => sum + (line.costUsd ?? Number.NaN), 0),
      9,
    );
    expect(lines[0]?.costUsd).toBeCloseTo(1 + 1 + 2, 9);
  });

  test('counts transfer by bands, and no free gigabytes', () => {
    const huge = chunk('STANDARD', { sizeBytes: 60_000 * GB });

    expect(costs([huge])['transfer']).toBeCloseTo(10_240 * 0.09 + 40_960 * 0.085 + 8800 * 0.07, 6);
  });

  test('counts the copy by bands as well, of what lies there on average in each month', () => {
    const copyOf = (gb: number, days: number): number | null | undefined =>
      costs([chunk('GLACIER', { sizeBytes: gb * GB })], { days })['temporaryCopy'];

    expect(copyOf(300_000, 7)).toBeCloseTo(51_200 * 0.023 + 18_800 * 0.022, 6);
    expect(copyOf(60_000, 7)).toBeCloseTo(14_000 * 0.023, 6);
    expect(copyOf(51_200, 300)).toBeCloseTo(512_000 * 0.023, 6);
  });

  test('takes the same for one group as for its chunks', () => {
    const many = Array.from({ length: 10 }, () => chunk('GLACIER', { sizeBytes: GB }));
    const group = chunk('GLACIER', { sizeBytes: 10 * GB, gets: 10, objects: 10 });

    expect(estimate([group]).costUsd).toBeCloseTo(estimate(many).costUsd ?? 0, 9);
  });

  test.each([
    ['no list of prices', undefined, 'GLACIER', ['retrieval', 'requests', 'temporaryCopy', 'transfer']],
    ['a region that is not known', 'mars-north-1', 'STANDARD', ['retrieval', 'requests', 'transfer']],
    ['a region without a price of transfer', 'ap-southeast-3', 'GLACIER', ['transfer']],
    ['a class that is not known', 'us-east-1', 'FROZEN', ['retrieval', 'requests']],
    ['a class that is named like something of JavaScript', 'us-east-1', 'toString', ['retrieval', 'requests']],
    ['a region that is named so', 'constructor', 'STANDARD', ['retrieval', 'requests', 'transfer']],
  ])('of %s is unknown, which is never zero', (_what, region, storageClass, unknown) => {
    const { costUsd, lines } = estimate([chunk(storageClass)], { region });

    expect(costUsd).toBeNull();
    expect(lines.filter((line) => line.costUsd === null).map(({ item }) => item)).toEqual(unknown);
  });

  test('of an expedited DEEP_ARCHIVE is unknown: it is not sold', () => {
    expect(costs([chunk('DEEP_ARCHIVE')], { tier: 'expedited' })).toMatchObject({ retrieval: null, requests: null });
  });

  test('of a folder, and of nothing, is zero', () => {
    expect(estimate([chunk('STANDARD')], { region: undefined, isFolder: true }).costUsd).toBe(0);
    expect(estimate([], { region: undefined }).costUsd).toBe(0);
  });

  test('says whose prices it counts with', () => {
    expect(estimate([])).toMatchObject({ region: 'us-east-1', pricesOf: '2026-11-20' });
    expect(estimate([], { region: undefined }).region).toBeNull();
  });

  test('price another server like AWS only where it has cold classes', () => {
    const other = { isAws: false };
    expect(estimate([chunk('STANDARD')], other)).toMatchObject({ region: null, costUsd: null });
    expect(estimate([chunk('GLACIER')], other)).toMatchObject({ region: 'us-east-1', isAws: false });
    expect(estimate([chunk('GLACIER')], other).costUsd).toBe(estimate([chunk('GLACIER')]).costUsd);
  });
});

describe('the cap', () => {
  const of = (costUsd: number | null, region: string | null = 'us-east-1') => ({ ...estimate([]), costUsd, region });

  test.each([
    ['below', 4.99, 'within'],
    ['exactly equal', 5, 'within'],
    ['equal but for rounding', 0.1 + 0.2 + 4.7, 'within'],
    ['above', 5.000001, 'over'],
    ['unknown', null, 'unknown'],
  ])('of 5 USD and an estimate that is %s', (_what, costUsd, verdict) => {
    expect(capVerdict(of(costUsd), 5, true)).toBe(verdict);
  });

  test('of nothing at all lets pass what costs nothing', () => {
    expect(capVerdict(of(0), 0, false)).toBe('within');
    expect(capVerdict(of(0.000001), 0, false)).toBe('over');
  });

  test('says both amounts so that they can be told apart', () => {
    expect(() => refuseCost(of(0.000413), 0.0004, true)).toThrow('$0.000413, and --max-restore-cost allows $0.0004;');
    expect(() => refuseCost(of(5.001), 5, true)).toThrow('$5.001, and --max-restore-cost allows $5.00;');
  });
});
