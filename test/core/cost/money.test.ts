import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { microsOf, sumOf } from '../../../src/core/cost/money.js';

test('whole micro-dollars stay what they are, however they were added up', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 50 }), (micros) => {
      const usd = sumOf(micros.map((amount) => amount / 1e6));

      expect(microsOf(usd ?? -1)).toBe(micros.reduce((sum, amount) => sum + amount, 0));
    }),
  );
});

test('what costs less than a micro-dollar is not free', () => {
  expect([microsOf(0), microsOf(0.0000004), microsOf(0.0000014)]).toEqual([0, 1, 2]);
});

test('what is not known makes a sum unknown', () => {
  expect(sumOf([1, null, 2])).toBeNull();
  expect(sumOf([])).toBe(0);
});
