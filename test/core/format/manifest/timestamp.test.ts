import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTimestamp, parseTimestamp } from '../../../../src/core/format/manifest/timestamp.js';

test('writes nine decimals in UTC, and years beyond four digits with a sign', () => {
  expect(formatTimestamp(1763112612, 123456789)).toBe('2025-11-14T09:30:12.123456789Z');
  expect(formatTimestamp(-1, 999999999)).toBe('1969-12-31T23:59:59.999999999Z');
  expect(formatTimestamp(-62167219201, 0)).toBe('-000001-12-31T23:59:59.000000000Z');
  expect(formatTimestamp(253402300800, 5)).toBe('+010000-01-01T00:00:00.000000005Z');
});

test('agrees with Date where Date reaches', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62167219200, max: 253402300799 }), (seconds) => {
      expect(`${formatTimestamp(seconds, 0).slice(0, 19)}.000Z`).toBe(new Date(seconds * 1000).toISOString());
    }),
  );
});

test('reads back what it wrote, whatever the year', () => {
  const seconds = fc.integer({ min: -(2 ** 43), max: 2 ** 43 });
  fc.assert(
    fc.property(seconds, fc.nat(999_999_999), (seconds, nanos) => {
      expect(parseTimestamp(formatTimestamp(seconds, nanos))).toEqual({ seconds, nanos });
    }),
  );
});

test.each([
  '2025-02-29T00:00:00.000000000Z',
  '2025-13-01T00:00:00.000000000Z',
  '2025-11-14T24:00:00.000000000Z',
  '2025-11-14T09:30:12.123Z',
  '2025-11-14T09:30:12.12345678xZ',
  '2025-11-14 09:30:12.123456789Z',
  '2025-11-14T09:30:12.123456789+',
  '-2025-11-14T09:30:12.123456789Z',
  '',
])('refuses %s', (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});
