import { expect, test } from 'vitest';
import { rateType } from '../../../../src/cli/value-type.js';
import { parseTimetable, rateAt } from '../../../../src/core/platform/limits/timetable.js';

const MIB = 2 ** 20;

function rates(text: string, ...moments: readonly Date[]): readonly (number | null)[] {
  const parsed = rateType().parse(text);
  if (!parsed.ok || typeof parsed.value === 'number') throw new Error(JSON.stringify(parsed));
  const { value } = parsed;
  return moments.map((moment) => rateAt(value, moment));
}

/** A time of a day of the week of 4 January 2026, a Sunday, in local time. */
const at = (day: number, hour: number, minute = 0): Date => new Date(2026, 0, 4 + day, hour, minute);

test('a change holds on every day until the next one, and over midnight', () => {
  expect(
    rates(
      '08:00,10MiB/s 18:00,off 23:30,512KiB',
      at(1, 8),
      at(1, 17, 59),
      at(6, 18),
      at(0, 23, 30),
      at(0, 0),
      at(3, 7, 59),
    ),
  ).toEqual([10 * MIB, 10 * MIB, null, MIB / 2, MIB / 2, MIB / 2]);
});

test('a change of one day holds until the next one of the week, and goes before one of every day', () => {
  expect(rates('Fri-18:00,OFF mon-08:00,1MiB', at(0, 12), at(1, 7, 59), at(1, 8), at(5, 17), at(6, 1))).toEqual([
    null,
    null,
    MIB,
    MIB,
    null,
  ]);
  expect(rates('Sun-08:00,off 08:00,1MiB', at(0, 9), at(1, 9), at(0, 7))).toEqual([null, MIB, MIB]);
});

test.each([
  '8:00,1MiB',
  '24:00,1MiB',
  '08:60,1MiB',
  '08:00,',
  '08:00,fast',
  '08:00,0',
  'Foo-08:00,1MiB',
  '08:00,1MiB 08:00,2MiB',
  '08:00,1MiB,2MiB',
  'off',
  '',
])('%j is refused with one sentence', (text) => {
  expect(rateType().parse(text)).toEqual({ ok: false, reason: expect.stringMatching(/^wants a rate such as 10MiB/) });
});

test('it is a plain document, which a saved upload keeps', () => {
  const timetable = parseTimetable('Mon-08:00,5 18:00,off', Number);

  expect(JSON.parse(JSON.stringify(timetable))).toEqual(timetable);
  expect(timetable).toHaveLength(8);
});
