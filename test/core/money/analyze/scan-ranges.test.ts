import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangesBetween } from '../../../../src/core/money/analyze/key-range.js';
import { scanRanges } from '../../../../src/core/money/analyze/scan-ranges.js';
import { compareBytes } from '../../../../src/core/store/file/file-list.js';

interface Line {
  readonly key: string;
}

/** A listing of these keys, whose answers come after so many turns. */
function listing(keys: readonly string[], pageKeys: number, turns: () => number) {
  const seen = { pages: 0, atOnce: 0, most: 0 };
  async function* pages(after: string | undefined): AsyncGenerator<readonly Line[]> {
    let left = keys.filter((key) => after === undefined || compareBytes(key, after) > 0);
    do {
      seen.pages += 1;
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      for (let turn = turns(); turn >= 0; turn--) await Promise.resolve();
      seen.atOnce -= 1;
      yield left.slice(0, pageKeys).map((key) => ({ key }));
      left = left.slice(pageKeys);
    } while (left.length > 0);
  }
  return { pages, seen };
}

test('every version of a key is listed once, however the ranges are cut and whoever answers first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'z', '/', 'é', '😀'), minLength: 1, maxLength: 6 })),
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 3 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 6 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
      async (given, cuts, pageKeys, atOnce, turns) => {
        const keys = given.toSorted(compareBytes);
        const { pages } = listing(keys, pageKeys, () => turns.next().value as number);
        const got: string[] = [];
        const take = (lines: readonly Line[]): void => void got.push(...lines.map(({ key }) => key));
        await scanRanges({ ranges: rangesBetween(cuts), atOnce, pages, take, isSplit: true });
        expect(got.toSorted(compareBytes)).toEqual(keys);
      },
    ),
    { examples: [[['a', 'a'], ['a'], 1, 1, fc.stream([0].values())]] },
  );
});

test('one range of many keys is listed by several at a time, in few requests more', async () => {
  const keys = Array.from({ length: 5000 }, (_, n) => `img_2024_${String(n).padStart(6, '0')}.jpg`);
  const { pages, seen } = listing(keys, 10, () => 3);
  let count = 0;

  await scanRanges({ ranges: [{}], atOnce: 8, pages, take: (lines) => void (count += lines.length), isSplit: true });

  expect(count).toBe(5000);
  expect(seen.most).toBe(8);
  expect(seen.pages).toBeLessThan(1100);
});

test('ends with the failure of a listing', async () => {
  const { pages } = listing(['a', 'b', 'c', 'd'], 1, () => 1);
  async function* failing(after: string | undefined): AsyncGenerator<readonly Line[]> {
    for await (const page of pages(after)) {
      if (page[0]?.key === 'c') throw new Error('no answer');
      yield page;
    }
  }
  const scan = { ranges: rangesBetween(['b']), atOnce: 3, pages: failing, take: () => undefined, isSplit: true };
  await expect(scanRanges(scan)).rejects.toThrow('no answer');
});
