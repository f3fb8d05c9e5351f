import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../../../src/core/platform/text/parse-duration.js';
import { lockUntil } from '../../../../src/core/dataset/lock/lock-until.js';

const NOW = new Date('2026-03-04T05:06:07Z');
const until = (text: string, now = NOW): string => lockUntil(text, now, parseDuration).toISOString();

describe('--until', () => {
  test.each([
    ['2026-03-04', '2026-03-05T00:00:00.000Z'],
    ['2027-12-31', '2028-01-01T00:00:00.000Z'],
    ['2026-03-04T05:07', '2026-03-04T05:07:00.000Z'],
    ['2026-03-04T05:07Z', '2026-03-04T05:07:00.000Z'],
    ['90d', '2026-06-03T00:00:00.000Z'],
    ['1h', '2026-03-05T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => expect(until(text)).toBe(expected));

  test('a duration is the same all day long', () => {
    expect(until('90d', new Date('2026-03-04T00:00:00Z'))).toBe(until('90d', new Date('2026-03-04T23:59:59Z')));
  });

  test.each([
    ['2026-03-03', /has passed/],
    ['2026-03-04T05:06', /has passed/],
    ['2026-02-30', /--until wants/],
    ['soon', /--until wants/],
    ['90', /--until wants/],
    ['36501d', /at most 36500 days/],
    ['9999-12-31', /at most 36500 days/],
  ])('%s is refused', (text, message) => expect(() => until(text)).toThrow(message));
});
