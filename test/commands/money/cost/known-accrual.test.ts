// What is stored costs every day from now on: forecasts are held against what the report says when their days are over.
import * as fc from 'fast-check';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { pricesIn } from '../../../../src/core/cost/price-table.js';
import { monthlyUsd } from '../../../../src/core/cost/stored-object.js';
import { dayOf, plusDays, startOf } from '../../../../src/core/money/ledger/days.js';
import { appendRecords, ledgerFolder } from '../../../../src/core/money/ledger/ledger.js';
import { spentIn } from '../../../../src/core/money/ledger/report.js';
import type { LedgerRecord } from '../../../../src/core/money/ledger/record.js';
import { ledgerRecord } from '../../../support/ledger-record.js';
import { json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
const TIB = 2 ** 40;
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

/** An upload of so much to STANDARD, at list prices with their tiers; 64 MiB an object. */
function upload(time: string, bytes: number, own: Partial<LedgerRecord> = {}): LedgerRecord {
  const objects = Math.ceil(Math.abs(bytes) / 2 ** 26) * Math.sign(bytes);
  const stored = [{ storageClass: 'STANDARD', objects, bytes, billedBytes: bytes }];
  const monthly = monthlyUsd(
    stored.map((change) => ({ ...change, billedBytes: Math.abs(bytes) })),
    pricesIn('us-west-2'),
  );
  const costMicros = Math.max(0, objects) * 5;
  const lines = [{ item: 'requests', storageClass: 'STANDARD', quantity: Math.max(0, objects), costMicros }];
  const monthlyMicros = Math.round((monthly ?? 0) * 1e6) * Math.sign(bytes);
  return ledgerRecord({ time, bytes: Math.max(0, bytes), stored, lines, costMicros, monthlyMicros, ...own });
}

async function record(...records: readonly LedgerRecord[]): Promise<void> {
  for (const one of records) await appendRecords(ledgerFolder(join(folder, 'home')), [one], { host: 'lab' });
}

async function at(now: string, ...argv: string[]): Promise<Record<string, unknown>> {
  const run = await runCommand({ root, folder, now: () => new Date(now) }, ['cost', ...argv, '--json']);
  expect(run.stderr).toBe('');
  return json(run.stdout);
}

const spentBy = async (day: string): Promise<number> =>
  Number((await at(`${day}T12:00:00Z`, 'report', '--period', 'all'))['costUsd']);

interface Prediction {
  readonly days: number;
  readonly storedUsd: number;
  readonly expectedUsd: number;
  readonly intervals: readonly { readonly lowUsd: number; readonly highUsd: number }[];
}

const predictionsAt = async (now: string, ...argv: string[]): Promise<readonly Prediction[]> =>
  (await at(now, 'forecast', ...argv))['predictions'] as Prediction[];

const MODELS = ['linear', 'exponential', 'moving_average', 'ensemble'];

describe('1 TiB since August, and 100 TiB two days ago', () => {
  const NOW = '2026-11-20T12:00:00Z';
  beforeEach(() => record(upload('2026-08-01T12:00:00.000Z', TIB), upload('2026-11-18T12:00:00.000Z', 100 * TIB)));

  test.each(MODELS)('%s says on 20 Nov what the report says on 20 Dec', async (model) => {
    const {
      expectedUsd = 0,
      storedUsd,
      intervals = [],
    } = (await predictionsAt(NOW, '--model', model)).find(({ days }) => days === 30) ?? {};
    const actual = (await spentBy('2026-12-20')) - (await spentBy('2026-11-20'));

    expect(actual).toBeGreaterThan(2250);
    expect(Math.abs(expectedUsd / actual - 1)).toBeLessThan(0.01);
    expect(storedUsd).toBeCloseTo((await spentBy('2026-12-19')) - (await spentBy('2026-11-19')), 5);
    // It may happen again, and nothing is deleted by itself.
    for (const { lowUsd, highUsd } of intervals) {
      expect(lowUsd).toBe(storedUsd);
      expect(highUsd).toBeGreaterThan(expectedUsd * 1.1);
    }
  });

  test('a budget of $2500 runs out on the day on which the report reaches it', async () => {
    const { kind, date, storedDate, probability, days } = await at(NOW, 'exhaustion', '--budget', '2500');

    expect({ kind, storedDate, probability }).toEqual({ kind: 'runs-out', storedDate: date, probability: 1 });
    expect(await spentBy(String(date))).toBeGreaterThanOrEqual(2500);
    expect(await spentBy(plusDays(String(date), -1))).toBeLessThan(2500);
    expect(plusDays('2026-11-20', Number(days))).toBe(date);
  });

  test('a budget that lasts for now has the day on which what is stored reaches it', async () => {
    const { kind, storedDate } = await at(NOW, 'exhaustion', '--budget', '12000');

    expect(kind).toBe('lasts');
    expect(await spentBy(String(storedDate))).toBeGreaterThanOrEqual(12_000);
    expect(await spentBy(plusDays(String(storedDate), -1))).toBeLessThan(12_000);
  });

  test('a day costs what it costs now, not what days have cost on average', async () => {
    const rate = await at(NOW, 'burnrate');

    const today = (await spentBy('2026-11-20')) - (await spentBy('2026-11-19'));
    expect(rate['storedPerDayUsd']).toBeCloseTo(today, 5);
    expect(Number(rate['perDayUsd']) - Number(rate['oncePerDayUsd'])).toBeCloseTo(today, 5);
    expect(rate).toMatchObject({ trend: 'steady', oncePerDayUsd: expect.closeTo((100 * 2 ** 14 * 5) / 1e6 / 90, 5) });
  });
});

test.each([
  [120, ''],
  [80, 'no room for 99%, 95%: widen the terminal, or --json'],
  [50, 'no room for 99%, 95%, 90%: widen the terminal, or --json'],
])('in %i columns no amount is cut and no line is too long, and what has no room is said', async (columns, note) => {
  await record(
    upload('2026-08-01T12:00:00.000Z', TIB),
    upload('2026-11-18T12:00:00.000Z', 100 * TIB),
    upload('2026-11-19T12:00:00.000Z', TIB, { store: 's3://ceph/lab', monthlyMicros: null, costMicros: null }),
  );
  const shown = async (...argv: string[]): Promise<string> => {
    const now = () => new Date('2026-11-20T12:00:00Z');
    return (await runCommand({ root, folder, now, columns, env: { NO_COLOR: '1' } }, ['cost', ...argv])).stdout;
  };
  const forecast = await shown('forecast');
  const texts = [forecast, await shown('burnrate'), await shown('exhaustion', '--budget', '2500', '--spent', '9')];

  for (const line of texts.flatMap((text) => text.split('\n'))) {
    expect(line).not.toContain('…');
    expect(line.length).toBeLessThanOrEqual(Math.max(columns, 80));
  }
  const table = forecast.slice(forecast.indexOf('DAYS  UNTIL')).split('\n');
  expect(table.slice(6, table.indexOf('', 6)).join(' ')).toBe(note);
  for (const line of table.slice(1, 6))
    expect(line).toMatch(/^ *\d+ {2}\d{4}-\d\d-\d\d(?: +\$\d+\.\d\d(?: to \$\d+\.\d\d)?)+$/);
});

test('without anything that came on top, a forecast is what is stored, with no doubt', async () => {
  await record(upload('2026-08-01T12:00:00.000Z', 60 * TIB));

  for (const model of MODELS) {
    const { predictions, accuracy } = await at('2026-11-20T12:00:00Z', 'forecast', '--model', model);
    for (const { days, storedUsd, expectedUsd, intervals } of predictions as Prediction[]) {
      const until = plusDays('2026-11-19', days);
      expect(storedUsd).toBeCloseTo((await spentBy(until)) - (await spentBy('2026-11-19')), 5);
      expect(expectedUsd).toBe(storedUsd);
      expect(intervals.flatMap(({ lowUsd, highUsd }) => [lowUsd, highUsd])).toEqual(Array(6).fill(storedUsd));
    }
    expect(accuracy).toMatchObject({ r2: 1, maeUsd: 0, rmseUsd: 0 });
  }
});

test('uploads at a rate are expected to go on: each costs on every day that remains', async () => {
  for (let day = 0; day < 30; day++) await record(upload(`${plusDays('2026-09-01', day)}T12:00:00.000Z`, TIB));
  const thirty = async (now: string): Promise<Prediction | undefined> =>
    (await predictionsAt(now)).find(({ days }) => days === 30);
  const { storedUsd = 0, expectedUsd, intervals } = (await thirty('2026-09-30T12:00:00Z')) ?? {};

  for (let day = 30; day < 60; day++) await record(upload(`${plusDays('2026-09-01', day)}T12:00:00.000Z`, TIB));
  const actual = (await spentBy('2026-10-29')) - (await spentBy('2026-09-29'));

  expect(expectedUsd).toBeCloseTo(actual, 4);
  expect(storedUsd).toBeLessThan(actual * 0.7);
  expect(intervals?.[2]?.highUsd).toBeCloseTo(actual, 4);
});

test('the known cost is told from the first day on, and statistics are left out and said to be', async () => {
  await record(upload('2026-11-18T12:00:00.000Z', 100 * TIB));
  const now = '2026-11-20T12:00:00Z';

  const forecast = await at(now, 'forecast');
  expect(forecast).toMatchObject({ kind: 'too-few-days', knownDays: 2, neededDays: 7 });
  for (const { days, storedUsd, expectedUsd, intervals } of forecast['predictions'] as Prediction[]) {
    const actual = (await spentBy(plusDays('2026-11-19', days))) - (await spentBy('2026-11-19'));
    expect([storedUsd, expectedUsd]).toEqual([expect.closeTo(actual, 5), expect.closeTo(actual, 5)]);
    expect(intervals).toEqual([]);
  }
  const { kind, date, neededDays } = await at(now, 'exhaustion', '--budget', '2500');
  expect({ kind, neededDays }).toEqual({ kind: 'runs-out', neededDays: 7 });
  expect(await spentBy(String(date))).toBeGreaterThanOrEqual(2500);
  expect(await spentBy(plusDays(String(date), -1))).toBeLessThan(2500);
  expect(await at(now, 'exhaustion', '--budget', '9999')).toMatchObject({
    kind: 'too-few-days',
    storedDate: expect.any(String),
  });
  expect(await at(now, 'burnrate')).toMatchObject({
    kind: 'too-few-days',
    storedPerDayUsd: expect.closeTo(2304 / 30, 5),
  });
});

test('a store without known prices is named, and the rest is forecast', async () => {
  const ceph = { store: 's3://ceph/lab', provider: 'other', monthlyMicros: null, costMicros: null } as const;
  await record(
    upload('2026-08-01T12:00:00.000Z', TIB),
    upload('2026-08-02T12:00:00.000Z', TIB, { ...ceph, lines: [] }),
  );
  const { kind, leftOutStores, unknownDays, predictions } = await at('2026-08-20T12:00:00Z', 'forecast');

  expect({ kind, leftOutStores, unknownDays }).toEqual({
    kind: 'forecast',
    leftOutStores: ['s3://ceph/lab'],
    unknownDays: 1,
  });
  expect((predictions as Prediction[])[0]?.storedUsd).toBeCloseTo((7 * 23.552) / 31, 4);
  const now = () => new Date('2026-08-20T12:00:00Z');
  expect((await runCommand({ root, folder, now }, ['cost', 'burnrate'])).stdout).toContain(
    '  left out  what is stored in s3://ceph/lab: its prices are not known\n',
  );
});

const HOURS = 24 * 120;
const run = fc.record({
  hour: fc.integer({ min: 0, max: HOURS - 1 }),
  gib: fc.integer({ min: -400_000, max: 200_000 }),
  store: fc.constantFrom('s3://lab/archive', 's3://lab/cold'),
  project: fc.constantFrom('genome', 'brain'),
});

test('of any ledger, the known part of a forecast is what the report says if nothing more is done', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(run, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(undefined, 'genome', 'brain'),
      async (runs, project) => {
        folder = await tempFolder();
        const begin = Date.parse('2026-01-15T00:00:00Z');
        const time = (hour: number): string => new Date(begin + hour * 3_600_000).toISOString();
        const records = runs
          .toSorted((one, other) => one.hour - other.hour)
          .map(({ hour, gib, ...own }) => upload(time(hour), gib * 2 ** 30, { ...own, uploadId: null }));
        await record(...records);
        const own = records.filter((one) => project === undefined || one.project === project);
        fc.pre(own.length > 0);
        const today = dayOf(new Date(time(runs.reduce((last, { hour }) => Math.max(last, hour), 0))));
        const now = new Date(startOf(plusDays(today, 1)).getTime() - 1).toISOString();

        const predictions = await predictionsAt(now, ...(project === undefined ? [] : [project]));
        for (const { days, storedUsd, expectedUsd, intervals } of predictions) {
          const period = { name: 'all', from: today, until: plusDays(today, days), timeZone: 'UTC' } as const;
          const { costUsd, lines } = spentIn(own, period);
          const storage = lines.reduce(
            (sum, { item, costMicros }) => sum + (item === 'storage' ? (costMicros ?? 0) : 0),
            0,
          );
          expect(Math.abs(storedUsd - storage / 1e6)).toBeLessThan(1e-6);
          // What today has paid is known, too; without statistics, that is all.
          const most = intervals.length === 0 ? Number(costUsd) + 1.5e-6 : Number.POSITIVE_INFINITY;
          expect(expectedUsd).toBeLessThan(most);
          expect(expectedUsd).toBeGreaterThanOrEqual(Number(costUsd) - 1.5e-6);
          for (const { lowUsd } of intervals) expect(lowUsd).toBeGreaterThanOrEqual(Number(costUsd) - 1.5e-6);
        }
      },
    ),
    { numRuns: 40 },
  );
});
