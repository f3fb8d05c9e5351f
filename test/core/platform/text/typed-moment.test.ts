import { afterEach, describe, expect, it, test } from 'vitest';
import { localDay, typedMoment } from '../../../../src/core/platform/text/typed-moment.js';
import { formatMinute, formatTimestamp } from '../../../../src/ui/format-time.js';

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const before = process.env['TZ'];

afterEach(() => {
  process.env['TZ'] = before;
});

const at = (zone: string, text: string): readonly (string | undefined)[] => {
  process.env['TZ'] = zone;
  const moment = typedMoment(text);
  return [moment && new Date(moment.startMs).toISOString(), moment && new Date(moment.endMs).toISOString()];
};

describe('a moment that was typed', () => {
  test.each([
    ['UTC', '2026-11-23', '2026-11-23T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    ['America/New_York', '2026-11-23', '2026-11-23T05:00:00.000Z', '2026-11-24T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-23', '2026-11-22T18:30:00.000Z', '2026-11-23T18:30:00.000Z'],
    ['America/New_York', '2026-11-23T05:12', '2026-11-23T10:12:00.000Z', '2026-11-23T10:13:00.000Z'],
    ['Asia/Kolkata', '2026-11-23 05:12', '2026-11-22T23:42:00.000Z', '2026-11-22T23:43:00.000Z'],
    ['Asia/Kolkata', '2026-11-23T05:12Z', '2026-11-23T05:12:00.000Z', '2026-11-23T05:13:00.000Z'],
    ['America/New_York', '2026-11-23 05:12:30+05:30', '2026-11-22T23:42:30.000Z', '2026-11-22T23:42:31.000Z'],
    // A day of 23 hours, and one of 25.
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    // Shown twice, at 05:30Z and 06:30Z: the end is that of the later one.
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z', '2026-11-01T06:31:00.000Z'],
  ])('in %s, %s', (zone, text, start, end) => {
    expect(at(zone, text)).toEqual([start, end]);
  });

  it('is in its own minute as it is shown, in any zone, while clocks are changed', () => {
    const changes = ['2026-03-08', '2026-04-04', '2026-10-03', '2026-11-01'].map((day) => Date.parse(day));
    const missed: string[] = [];
    for (const zone of ZONES) {
      process.env['TZ'] = zone;
      for (const day of changes) {
        for (let ms = day; ms < day + 30 * 3_600_000; ms += 7 * 60_000) {
          const moment = new Date(ms);
          const local = formatMinute(moment).slice(0, '2026-03-31 10:00'.length);
          for (const text of [local, formatMinute(moment), formatTimestamp(moment), localDay(moment)]) {
            const { startMs = ms + 1, endMs = ms } = typedMoment(text) ?? {};
            if (startMs > ms || endMs <= ms) missed.push(`${zone} ${text}`);
          }
        }
      }
    }

    expect(missed).toEqual([]);
  });

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-02-03T24:00',
    '2026-02-03T10:60',
    '2026-2-3',
    'v3',
    '',
    '2026-02-03T10',
  ])('%j is none', (text) => {
    expect(typedMoment(text)).toBeUndefined();
  });
});
