import { expect, test } from 'vitest';
import { spendingOf } from '../../../src/stores/dashboard/spending.js';
import { ledgerRecord } from '../../support/ledger-record.js';

const records = [
  ledgerRecord({ time: '2026-08-01T12:00:00.000Z', monthlyMicros: 23_552_000, costMicros: 80_000 }),
  ledgerRecord({ time: '2026-11-18T12:00:00.000Z', monthlyMicros: 2_304_000_000, costMicros: 8_000_000, lines: [] }),
];
const at = (day: string) => spendingOf(records, new Date(`${day}T12:00:00.000Z`));

test('the month comes at least to what it says on its last day, if nothing more is done', () => {
  const { monthEnd, monthEndUsd, storedPerDayUsd, days, month } = at('2026-11-20');

  expect(monthEnd).toBe('2026-11-30');
  expect(monthEndUsd).toBeCloseTo(at('2026-11-30').month.costUsd ?? Number.NaN, 5);
  expect(storedPerDayUsd).toBeCloseTo(2327.552 / 30, 9);
  expect(days.at(-1)?.day).toBe('2026-11-20');
  expect(month.costUsd).toBeLessThan(monthEndUsd / 2);
});

test('on its last day, nothing more is to come', () => {
  const { monthEndUsd, month } = at('2026-11-30');

  expect(monthEndUsd).toBe(month.costUsd);
});

test('an empty ledger has nothing to come', () => {
  expect(spendingOf([], new Date('2026-02-10T12:00:00Z'))).toMatchObject({
    monthEnd: '2026-02-28',
    monthEndUsd: 0,
    storedPerDayUsd: 0,
  });
});
