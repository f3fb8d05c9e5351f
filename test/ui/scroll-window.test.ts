import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { scrollTo } from '../../src/ui/scroll-window.js';

test('moves the list no further than it has to, and keeps two rows beyond the cursor', () => {
  const list = { count: 100, height: 10 };

  expect(scrollTo(5, { ...list, top: 0 })).toBe(0);
  expect(scrollTo(8, { ...list, top: 0 })).toBe(1);
  expect(scrollTo(40, { ...list, top: 0 })).toBe(33);
  expect(scrollTo(41, { ...list, top: 40 })).toBe(39);
  expect(scrollTo(99, { ...list, top: 0 })).toBe(90);
  expect(scrollTo(0, { ...list, top: 50 })).toBe(0);
});

test('always shows the cursor, and no empty rows while there are others', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer({ min: 1, max: 60 }), fc.nat(300), fc.nat(), (count, height, top, at) => {
      const cursor = count === 0 ? 0 : at % count;
      const first = scrollTo(cursor, { count, height, top });
      expect(first).toBeGreaterThanOrEqual(0);
      expect(cursor).toBeGreaterThanOrEqual(first);
      expect(cursor).toBeLessThan(first + height);
      expect(first).toBeLessThanOrEqual(Math.max(0, count - height));
    }),
  );
});
