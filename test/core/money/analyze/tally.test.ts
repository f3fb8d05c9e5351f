import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoredTally, monthOf } from '../../../../src/core/money/analyze/stored-tally.js';
import { type Cell, countedIn, Tally, type TalliedObject } from '../../../../src/core/money/analyze/tally.js';
import { billOf } from '../../../../src/core/cost/cost-model.js';
import { listPrices } from '../../../../src/core/cost/price-book.js';
import { storedObject } from '../../../../src/core/cost/stored-object.js';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const prices = listPrices({ region: 'us-east-1' });
const objects = fc.record({
  sizeBytes: fc.oneof(fc.integer({ min: 0, max: 300_000 }), fc.integer({ min: 0, max: 5 * 2 ** 40 })),
  storageClass: fc.constantFrom(
    'STANDARD',
    'STANDARD_IA',
    'GLACIER_IR',
    'GLACIER',
    'DEEP_ARCHIVE',
    'INTELLIGENT_TIERING',
  ),
  lastModified: fc.integer({ min: -3, max: 800 }).map((days) => new Date(NOW - days * DAY)),
});
const tallyOf = (all: readonly TalliedObject[]): Tally => {
  const tally = new Tally(NOW);
  for (const one of all) tally.add(one);
  return tally;
};
const sorted = (cells: readonly Cell[]): readonly Cell[] =>
  cells.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

describe('a tally', () => {
  test('is the same however the objects come in pages', () => {
    fc.assert(
      fc.property(fc.array(objects), fc.array(fc.nat(20)), (all, cuts) => {
        const merged = new Tally(NOW);
        let from = 0;
        for (const length of [...cuts, all.length]) {
          merged.merge(tallyOf(all.slice(from, from + length)));
          from += length;
        }
        expect(sorted(merged.cells())).toEqual(sorted(tallyOf(all).cells()));
      }),
    );
  });

  test('costs what its objects cost one by one', () => {
    fc.assert(
      fc.property(fc.array(objects), (all) => {
        const each = all.flatMap((object) => storedObject(object, undefined, prices));
        const exact = billOf([['all', each]], prices).costUsd ?? Number.NaN;
        const summed = monthOf(tallyOf(all).cells(), prices) ?? Number.NaN;
        expect(Math.abs(summed - exact)).toBeLessThanOrEqual(exact * 1e-9);
      }),
    );
  });

  test('knows ages in days and sizes to powers of two', () => {
    const at = (days: number, sizeBytes: number): TalliedObject => {
      return { sizeBytes, storageClass: 'STANDARD', lastModified: new Date(NOW - days * DAY) };
    };
    const cells = tallyOf([at(29.9, 131_071), at(30, 131_072), at(4000, 2 ** 40), at(-1, 0)]).cells();
    expect(cells.map(({ ageDays, fromBytes }) => [ageDays, fromBytes])).toEqual([
      [29, 65_536],
      [30, 131_072],
      [365, 2 ** 40],
      [0, 0],
    ]);
  });

  test('does not grow with the names of classes', () => {
    const cells = tallyOf(
      Array.from({ length: 1000 }, (_, n) => ({ sizeBytes: 1, storageClass: `C${n}`, lastModified: new Date(NOW) })),
    ).cells();
    expect(cells).toHaveLength(65);
    expect(countedIn(cells)).toEqual({ objects: 1000, bytes: 1000 });
  });

  test('keeps older versions and delete markers apart', () => {
    const tally = new StoredTally(NOW);
    const line = { key: 'a', versionId: 'v', sizeBytes: 10, storageClass: 'STANDARD', lastModified: new Date(NOW) };
    tally.add({ ...line, isCurrent: true, isDeleteMarker: true, sizeBytes: 0 });
    tally.add({ ...line, isCurrent: false, isDeleteMarker: false });
    tally.add({ ...line, isCurrent: true, isDeleteMarker: false, sizeBytes: 7 });
    expect(countedIn(tally.current.cells())).toEqual({ objects: 1, bytes: 7 });
    expect(countedIn(tally.older.cells())).toEqual({ objects: 1, bytes: 10 });
    expect(tally.deleteMarkers).toBe(1);
  });
});

test('the sizes at which classes begin to bill otherwise are powers of two', () => {
  for (const provider of ['aws', 'wasabi', 'b2'] as const)
    for (const { minBillableBytes, minMonitoredBytes = 0 } of Object.values(
      listPrices({ provider, region: 'us-east-1' }).rules,
    ))
      for (const edge of [minBillableBytes ?? 0, minMonitoredBytes])
        expect(edge === 0 || Number.isInteger(Math.log2(edge))).toBe(true);
});
