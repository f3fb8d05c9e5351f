import { expect, test } from 'vitest';
import { monthsUntil } from '../../../../src/core/money/ledger/days.js';
import { periodOf } from '../../../../src/core/money/ledger/period.js';

/** By the calendar of whatever time zone the test runs in, a minute after midnight and one before it. */
test.each([
  ['today', [2026, 2, 1], '2026-03-01', '2026-03-02'],
  ['week', [2026, 2, 1], '2026-02-23', '2026-03-02'],
  ['week', [2026, 2, 2], '2026-03-02', '2026-03-03'],
  ['month', [2026, 2, 31], '2026-03-01', '2026-04-01'],
  ['last_month', [2026, 2, 31], '2026-02-01', '2026-03-01'],
  ['last_month', [2026, 0, 1], '2025-12-01', '2026-01-01'],
  ['all', [2024, 1, 28], undefined, '2024-02-29'],
] as const)('%s on %j is from %s to before %s', (name, [year, month, day], from, until) => {
  for (const time of [new Date(year, month, day, 0, 1), new Date(year, month, day, 23, 59)])
    expect(periodOf(name, time)).toMatchObject({ name, from, until });
});

test('the days of a month make one month, however many they are', () => {
  expect(monthsUntil('2026-03-01') - monthsUntil('2026-02-01')).toBe(1);
  expect(monthsUntil('2027-01-01') - monthsUntil('2026-12-01')).toBe(1);
  expect(monthsUntil('2026-02-15') - monthsUntil('2026-02-01')).toBeCloseTo(14 / 28, 12);
});
