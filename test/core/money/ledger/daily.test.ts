import { expect, test } from 'vitest';
import { dailySpend } from '../../../../src/core/money/ledger/daily.js';
import { StoredLevels } from '../../../../src/core/money/ledger/stored-levels.js';
import { ledgerRecord } from '../../../support/ledger-record.js';

const NOTHING = { used: [], lines: [], costMicros: 0 } as const;
const stored = (bytes: number) => [{ storageClass: 'STANDARD', objects: 1, bytes, billedBytes: bytes }];
/** Noon is on the same day in most time zones. */
const noon = (day: string): string => `${day}T12:00:00.000Z`;

test('what is paid once is spent on its day, and storage on every day by the length of its month', () => {
  const records = [
    ledgerRecord({ time: noon('2026-02-27'), stored: stored(100), costMicros: 500_000, monthlyMicros: 28_000_000 }),
    ledgerRecord({ ...NOTHING, time: noon('2026-03-02'), stored: stored(-60), monthlyMicros: -12_500_000 }),
  ];

  expect(dailySpend(records)).toEqual([
    { day: '2026-02-27', costUsd: 1.5, onceUsd: 0.5, storedUsd: 1, addedMonthlyUsd: 28, bytes: 100 },
    { day: '2026-02-28', costUsd: 1, onceUsd: 0, storedUsd: 1, addedMonthlyUsd: 0, bytes: 100 },
    { day: '2026-03-01', costUsd: 28 / 31, onceUsd: 0, storedUsd: 28 / 31, addedMonthlyUsd: 0, bytes: 100 },
    { day: '2026-03-02', costUsd: 0.5, onceUsd: 0, storedUsd: 0.5, addedMonthlyUsd: -12.5, bytes: 40 },
  ]);
});

test('what was stored before the first day that is asked about still costs', () => {
  const records = [ledgerRecord({ time: noon('2026-01-01'), stored: stored(7), monthlyMicros: 31_000_000 })];
  const range = { from: new Date(noon('2026-03-30')), until: new Date(noon('2026-04-01')) };

  expect(dailySpend(records, range)).toMatchObject([
    { day: '2026-03-30', costUsd: 1, addedMonthlyUsd: 0, bytes: 7 },
    { day: '2026-03-31', costUsd: 1, addedMonthlyUsd: 0, bytes: 7 },
    { day: '2026-04-01', costUsd: 31 / 30, addedMonthlyUsd: 0, bytes: 7 },
  ]);
});

test('what others stored and this computer deleted costs nothing, and does not make the rest cheaper', () => {
  const time = noon('2026-03-04');
  const records = [
    ledgerRecord({ ...NOTHING, time, store: 's3://theirs', stored: stored(-50), monthlyMicros: -9_300_000 }),
    ledgerRecord({ ...NOTHING, time, stored: stored(10), monthlyMicros: 6_200_000 }),
  ];

  expect(dailySpend(records)).toMatchObject([{ day: '2026-03-04', costUsd: 0.2, addedMonthlyUsd: 6.2, bytes: 10 }]);
});

test('an unknown price stays unknown, and so does the storage that it is of', () => {
  const records = [
    ledgerRecord({ time: noon('2026-03-04'), stored: [], costMicros: null, monthlyMicros: 0 }),
    ledgerRecord({ ...NOTHING, time: noon('2026-03-06'), stored: stored(3), monthlyMicros: null }),
    ledgerRecord({ ...NOTHING, time: noon('2026-03-07'), stored: [], monthlyMicros: 0 }),
  ];

  const days = dailySpend(records);
  expect(days.map(({ costUsd }) => costUsd)).toEqual([null, 0, null, null]);
  expect(days.map(({ onceUsd, storedUsd, addedMonthlyUsd }) => [onceUsd, storedUsd, addedMonthlyUsd])).toEqual([
    [null, 0, 0],
    [0, 0, 0],
    [0, 0, null],
    [0, 0, 0],
  ]);
});

test('one project is told alone; a project without records has no days', () => {
  const records = [ledgerRecord({ ...NOTHING, monthlyMicros: 0 }), ledgerRecord({ project: 'other' })];

  expect(dailySpend(records, { project: 'genome' })).toMatchObject([{ day: '2026-03-04', costUsd: 0, bytes: 2 ** 30 }]);
  expect(dailySpend(records, { project: 'nobody' })).toEqual([]);
});

test('what is off the list is off every class, so that what is left of one is not paid for with another', () => {
  const [hot, cold] = ['STANDARD', 'GLACIER_IR'].map((storageClass) => {
    return { storageClass, objects: 1, bytes: 2 ** 40, billedBytes: 2 ** 40 };
  });
  const time = noon('2026-04-01');
  const levels = new StoredLevels();
  // Half of 1024 GB at 0.023 and at 0.004 USD, and of the cold one the same again when it goes.
  levels.add(ledgerRecord({ time, stored: [hot!, cold!], monthlyMicros: 13_824_000 }), '2026-04-01');
  const gone = { ...cold!, objects: -1, bytes: -(2 ** 40), billedBytes: -(2 ** 40) };
  levels.add(ledgerRecord({ time, stored: [gone], monthlyMicros: -2_048_000 }), '2026-04-02');

  expect(levels.now()).toMatchObject({ bytes: 2 ** 40, monthlyMicros: 11_776_000 });
  const [hotMicros, coldMicros] = levels.costsUntil('2026-05-01').map(({ costMicros }) => costMicros);
  expect(hotMicros).toBeCloseTo(11_776_000, 3);
  expect(coldMicros).toBeCloseTo(2_048_000 / 30, 3);
});
