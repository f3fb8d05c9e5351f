import { afterEach, describe, expect, test } from 'vitest';
import { formatMinute, formatTimestamp, shortMinute } from '../../src/ui/format-time.js';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const WINTER = new Date('2025-11-14T23:04:31.250Z');
const SUMMER = new Date('2025-07-01T00:00:00Z');

describe('a moment in the time zone of this computer', () => {
  test.each([
    ['UTC', '2025-11-14 23:04:31+00:00', '2025-07-01 00:00+00:00'],
    ['Europe/Berlin', '2025-11-15 00:04:31+01:00', '2025-07-01 02:00+02:00'],
    ['America/St_Johns', '2025-11-14 19:34:31-03:30', '2025-06-30 21:30-02:30'],
    ['Asia/Kathmandu', '2025-11-15 04:49:31+05:45', '2025-07-01 05:45+05:45'],
  ])('%s', (name, winter, summer) => {
    process.env['TZ'] = name;

    expect(formatTimestamp(WINTER)).toBe(winter);
    expect(formatMinute(SUMMER)).toBe(summer);
    expect(shortMinute(SUMMER)).toBe(summer.slice(0, 16));
  });

  test('what no calendar has is said so', () => {
    expect([formatTimestamp, formatMinute, shortMinute].map((format) => format(new Date(Number.NaN)))).toEqual([
      'unknown time',
      'unknown time',
      '',
    ]);
  });
});
