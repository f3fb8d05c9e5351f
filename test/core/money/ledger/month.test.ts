// A month of a lab: uploads every day, restores every fifth, prunes every week, by a clock of its own. The records are made
// by the code that makes them for commands. The spreadsheet beside it knows objects, days and prices, and nothing of ours.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dailySpend } from '../../../../src/core/money/ledger/daily.js';
import { appendRecords, readLedger } from '../../../../src/core/money/ledger/ledger.js';
import { makeRecords } from '../../../../src/core/money/ledger/make-record.js';
import { periodOf } from '../../../../src/core/money/ledger/period.js';
import { spentBy, spentIn } from '../../../../src/core/money/ledger/report.js';
import type { RunAbout } from '../../../../src/core/events/run-about.js';
import { listPrices } from '../../../../src/core/cost/price-book.js';
import { RunMeter } from '../../../../src/core/money/ledger/run-meter.js';
import type { StoreMeter } from '../../../../src/core/store/meter.js';
import { tempFolder } from '../../../support/temp-folder.js';

const GB = 2 ** 30;
const KB = 1024;
const DAYS = 30;
/** Seven of April's first days, then all of it: reports must not depend on where the month begins. */
const FIRST = Date.UTC(2026, 3, 1, 12);
const at = (day: number): Date => new Date(FIRST + day * 86_400_000);
const uploadIdOf = (day: number): string => `202604${String(day + 1).padStart(2, '0')}-120000-0000000${day % 10}`;

/** us-west-2, as AWS lists it: USD for a GB and month, for 1000 requests, for a GB out. */
const SHEET = {
  STANDARD: { month: 0.023, put: 0.005, get: 0.0004, out: 0 },
  GLACIER_IR: { month: 0.004, put: 0.02, get: 0.01, out: 0.03 },
  DEEP_ARCHIVE: { month: 0.00099, put: 0.05, get: 0.0004, out: 0 },
} as const;
const INTERNET = 0.09;
const BULK = { perGB: 0.0025, per1000: 0.025 };

type StorageClass = keyof typeof SHEET;
const LAB: readonly { readonly project: string; readonly storageClass: StorageClass }[] = [
  { project: 'genome', storageClass: 'STANDARD' },
  { project: 'climate', storageClass: 'GLACIER_IR' },
  { project: 'survey', storageClass: 'DEEP_ARCHIVE' },
];

interface Chunk {
  readonly key: string;
  readonly storageClass: StorageClass;
  readonly sizeBytes: number;
  readonly project: string;
  readonly from: number;
  until: number;
}

/** Sizes that are not round, and a few that are small. */
const sizeOf = (day: number, chunk: number): number =>
  chunk === 2 ? 50 * KB : (40 + 7 * chunk) * GB + day * 1_234_567;

function lab() {
  const chunks: Chunk[] = [];
  for (let day = 0; day < DAYS; day++) {
    const { project, storageClass } = LAB[day % 3]!;
    for (let chunk = 0; chunk < 3; chunk++)
      chunks.push({
        key: `uploads/${uploadIdOf(day)}/chunk-${chunk}`,
        storageClass,
        sizeBytes: sizeOf(day, chunk),
        project,
        from: day,
        until: Number.POSITIVE_INFINITY,
      });
  }
  return chunks;
}

const ofDay = (chunks: readonly Chunk[], day: number): readonly Chunk[] => chunks.filter(({ from }) => from === day);
const readDays = Array.from({ length: DAYS }, (_, day) => day).filter((day) => day % 5 === 4);
const pruneDays = [13, 20, 27];

async function ledgerOf(chunks: readonly Chunk[]): Promise<string> {
  const folder = join(await tempFolder(), 'ledger');
  const projects = new Map<string, string>();
  const run = async (day: number, about: RunAbout, work: (meter: StoreMeter, all: RunMeter) => void): Promise<void> => {
    const all = new RunMeter(
      () => at(day),
      ({ region }) => listPrices({ region }),
    );
    const place = { url: 's3://lab/archive', isAws: true, isFolder: false, region: 'us-west-2' };
    work(all.open(place), all);
    const records = makeRecords(about, all.uses(), {
      time: at(day),
      outcome: 'done',
      id: randomBytes(8).toString('hex'),
      projectOf: (uploadId) => projects.get(uploadId),
    });
    await appendRecords(folder, records, { host: 'here' });
  };
  const known = ({ key, storageClass, sizeBytes, from }: Chunk) => {
    return { key, storageClass, sizeBytes, lastModified: at(from) };
  };
  for (let day = 0; day < DAYS; day++) {
    const own = ofDay(chunks, day);
    const [{ project } = { project: '' }] = own;
    const uploadId = uploadIdOf(day);
    projects.set(uploadId, project);
    await run(day, { operation: 'upload', project, uploadId, files: 100 }, (meter) => {
      for (const chunk of own) {
        meter.requested('put', chunk.storageClass);
        meter.wrote(known(chunk));
      }
      meter.requested('put', 'STANDARD');
    });
    if (readDays.includes(day)) {
      const read = ofDay(chunks, day - 2);
      await run(day, { operation: 'restore', uploadId: uploadIdOf(day - 2) }, (meter, all) => {
        all.know(read.map(known));
        for (const { key, storageClass, sizeBytes } of read)
          if (storageClass === 'DEEP_ARCHIVE') meter.thawed(key, { tier: 'bulk', days: 6 });
          else {
            meter.requested('get', storageClass);
            meter.fetched(storageClass, sizeBytes);
          }
      });
    }
    if (pruneDays.includes(day)) {
      const gone = chunks.filter(({ from }) => from < day - 7 && from >= day - 14);
      await run(day, { operation: 'prune' }, (meter, all) => {
        all.know(gone.map(known));
        meter.requested('put', 'STANDARD');
        meter.removed(
          gone.map(({ key }) => key),
          false,
        );
      });
      for (const chunk of gone) chunk.until = day;
    }
  }
  return folder;
}

/** What AWS bills of an object: 128 KB at least, or 32 KB beside it and 8 KB in STANDARD. */
function monthUsd({ storageClass, sizeBytes }: Chunk): number {
  const price = SHEET[storageClass].month;
  if (storageClass === 'GLACIER_IR') return (Math.max(sizeBytes, 128 * KB) / GB) * price;
  if (storageClass === 'DEEP_ARCHIVE')
    return ((sizeBytes + 32 * KB) / GB) * price + ((8 * KB) / GB) * SHEET.STANDARD.month;
  return (sizeBytes / GB) * price;
}

function readUsd({ storageClass, sizeBytes }: Chunk): number {
  const gb = sizeBytes / GB;
  if (storageClass === 'DEEP_ARCHIVE') return BULK.per1000 / 1000 + gb * (BULK.perGB + (SHEET.STANDARD.month * 6) / 30);
  return SHEET[storageClass].get / 1000 + gb * (SHEET[storageClass].out + INTERNET);
}

const MINIMUM_DAYS = { STANDARD: 0, GLACIER_IR: 90, DEEP_ARCHIVE: 180 } as const;

/** USD of one project, one day after the other. */
function sheet(chunks: readonly Chunk[], isOf: (project: string | undefined) => boolean): readonly number[] {
  const own = chunks.filter(({ project }) => isOf(project));
  return Array.from({ length: DAYS }, (_, day) => {
    const stored = own.filter(({ from, until }) => from <= day && day < until);
    const read = readDays.includes(day) ? ofDay(own, day - 2) : [];
    const early = own.filter(({ until }) => until === day);
    const manifests = Number(isOf(LAB[day % 3]!.project)) + Number(pruneDays.includes(day) && isOf(undefined));
    return sumOf([
      ...stored.map((chunk) => monthUsd(chunk) / 30),
      ...ofDay(own, day).map(({ storageClass }) => SHEET[storageClass].put / 1000),
      (manifests * SHEET.STANDARD.put) / 1000,
      ...read.map(readUsd),
      ...early.map((chunk) => {
        const daysLeft = Math.max(0, MINIMUM_DAYS[chunk.storageClass] - (day - chunk.from));
        return (monthUsd(chunk) * daysLeft) / 30;
      }),
    ]);
  });
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);
/** A micro-dollar for each line of each record is rounding. */
const CENT = 2;

test('the report of a month is what a spreadsheet of objects, days and prices says', async () => {
  const chunks = lab();
  const { records, skipped } = await readLedger(await ledgerOf(chunks));
  expect(skipped).toBe(0);
  const now = at(DAYS - 1);

  const report = spentIn(records, periodOf('month', now));
  const all = sheet(chunks, () => true);
  expect(sumOf(all)).toBeGreaterThan(30);
  expect(report.costUsd).toBeCloseTo(sumOf(all), CENT + 1);
  expect(report.period).toMatchObject({ from: '2026-04-01', until: '2026-05-01' });
  for (const { project } of LAB) {
    const found = spentBy(report.lines, 'project').find(({ name }) => name === project);
    expect(found?.costUsd).toBeCloseTo(sumOf(sheet(chunks, (name) => name === project)), CENT + 1);
  }
  expect(report.storedBytes).toBe(
    chunks.filter(({ until }) => until > DAYS).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  );
  expect(report).toMatchObject({ runs: records.length, uploads: DAYS, files: 100 * DAYS });
});

test('its days are those of the spreadsheet, one by one, and come to the report', async () => {
  const chunks = lab();
  const { records } = await readLedger(await ledgerOf(chunks));

  const days = dailySpend(records);
  const expected = sheet(chunks, () => true);
  expect(days.map(({ day }) => day)).toEqual(
    Array.from({ length: DAYS }, (_, day) => `2026-04-${String(day + 1).padStart(2, '0')}`),
  );
  days.forEach(({ costUsd }, index) => expect(costUsd).toBeCloseTo(expected[index] ?? 0, CENT + 1));
  const report = spentIn(records, periodOf('all', at(DAYS - 1)));
  expect(sumOf(days.map(({ costUsd }) => costUsd ?? Number.NaN))).toBeCloseTo(report.costUsd ?? Number.NaN, 5);
});
