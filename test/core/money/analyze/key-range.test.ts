import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { middleKey, rangesBetween } from '../../../../src/core/money/analyze/key-range.js';
import { compareBytes } from '../../../../src/core/store/file/file-list.js';

const keys = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', 'b', '/', '~', 'é', '\ud7ff', '\ue000', '😀'), minLength: 1, maxLength: 8 }),
);

describe('middleKey', () => {
  test('lies between, wherever it is found', () => {
    fc.assert(
      fc.property(keys, fc.option(keys, { nil: undefined }), (a, b) => {
        if (b === a) return;
        const [low, high] = b === undefined || compareBytes(a, b) < 0 ? [a, b] : [b, a];
        const middle = middleKey(low, high);
        if (middle === undefined) return;
        expect(compareBytes(low, middle)).toBeLessThan(0);
        expect(high === undefined || compareBytes(middle, high) < 0).toBe(true);
        expect(Buffer.from(middle).toString()).toBe(middle);
      }),
    );
  });

  test.each([
    ['a', 'c', 'b'],
    ['dir/a', 'dir/y', 'dir/m'],
    ['dir/az', 'dir/b', 'dir/a|'],
    ['a', undefined, 'p'],
    ['a', 'a', undefined],
    ['a', 'a ', undefined],
  ])('of %j and %j is %j', (after, until, middle) => {
    expect(middleKey(after, until)).toBe(middle);
  });
});

test('ranges between keys are all keys, in order', () => {
  expect(rangesBetween(['b/', 'a/', 'b/'])).toEqual([
    { after: undefined, until: 'a/' },
    { after: 'a/', until: 'b/' },
    { after: 'b/', until: undefined },
  ]);
});
