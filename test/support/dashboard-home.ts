// A home folder with something in all that the dashboard reads on this computer.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changeBook } from '../../src/core/money/budget/book-store.js';
import type { Budget } from '../../src/core/money/budget/budget.js';
import { openBook } from '../../src/core/money/budget/open-book.js';
import { appendRecords, ledgerFolder } from '../../src/core/money/ledger/ledger.js';
import { ownHolder } from '../../src/core/platform/state/lock-holder.js';
import { encodeState, type UploadState } from '../../src/core/archive/resume/upload-state.js';
import { SAMPLE_STATE } from '../core/archive/resume/sample-state.js';
import { asUploadId } from './as-upload-id.js';
import { ledgerRecord } from './ledger-record.js';

export interface HomeContents {
  readonly days?: number;
  readonly budgets?: number;
  readonly uploads?: number;
}

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

/** The id of the nth saved upload. */
export const savedId = (n: number): string =>
  `20251114-0930${String(n % 60).padStart(2, '0')}-${(0xa41f0000 + n).toString(16)}`;

/** Fills `home` with so much of everything, as it is at a moment. */
export async function fillHome(
  home: string,
  now: Date,
  { days = 0, budgets = 0, uploads = 0 }: HomeContents,
): Promise<void> {
  await mkdir(home, { recursive: true });
  for (let day = 0; day < days; day++) await recordDay(home, new Date(now.getTime() - day * DAY_MS), day);
  if (budgets > 0) await setBudgets(home, now, budgets);
  for (let n = 0; n < uploads; n++) await saveUpload(home, n, now);
}

async function recordDay(home: string, time: Date, day: number): Promise<void> {
  const classes = ['STANDARD', 'GLACIER_IR', 'DEEP_ARCHIVE'];
  const costMicros = Math.round((4 + 7 * Math.abs(Math.sin(day))) * 1e6);
  const records = classes.map((storageClass, at) =>
    ledgerRecord({
      time: time.toISOString(),
      store: 's3://acme-archive/lab',
      lines: [{ item: 'requests', storageClass, quantity: 34, costMicros: costMicros >> at }],
      costMicros: costMicros >> at,
      stored: [{ storageClass, objects: 34, bytes: 100 * GIB, billedBytes: 100 * GIB }],
      monthlyMicros: 2_300_000 >> at,
    }),
  );
  await appendRecords(ledgerFolder(home), records, { host: 'here' });
}

/** The first one is past its alert, and has a limit of volume. */
async function setBudgets(home: string, now: Date, count: number): Promise<void> {
  const signal = new AbortController().signal;
  const opened = await openBook({ place: 'local', home, cwd: '/' }, { env: {}, signal });
  const since = new Date(now.getTime() - 14 * DAY_MS).toISOString();
  const budget = (usedUsd: number, limitUsd: number, volumeBytes = 0): Budget => ({
    costMicros: limitUsd * 1e6,
    volumeBytes,
    costAlert: 0.8,
    volumeAlert: 0.75,
    period: 'total',
    since,
    days: new Map([
      [now.toISOString().slice(0, 10), { micros: usedUsd * 1e6, bytes: 3.1e12, monthlyMicros: 0, unpriced: 0 }],
    ]),
    earlierMicros: 0,
    baseUntil: null,
  });
  const others = Array.from(
    { length: count - 1 },
    (_, at) => [`project-${String(at + 1).padStart(4, '0')}`, budget(at % 400, 500)] as const,
  );
  const projects = new Map([['genomics-2025', budget(410.11, 500, 10e12)] as const, ...others]);
  await changeBook(
    opened.store,
    () => ({ global: budget(1240.07, 4000), projects, reservations: [], corrections: [] }),
    signal,
  );
  opened.close();
}

/** Notes the nth upload, as it is with `own`. */
export async function saveUpload(home: string, n: number, now: Date, own: Partial<UploadState> = {}): Promise<void> {
  const uploadId = asUploadId(savedId(n));
  const state: UploadState = {
    ...SAMPLE_STATE,
    uploadId,
    uploadIds: [uploadId],
    sources: [`/data/run-${String(412 - n).padStart(4, '0')}`],
    destination: 's3://acme-archive/lab',
    storeUrl: 's3://acme-archive/lab',
    datasetId: 'run-04xx',
    createdAt: new Date(now.getTime() - 1_000_000).toISOString(),
    startedAt: new Date(now.getTime() - 1_000_000).toISOString(),
    updatedAt: now.toISOString(),
    totals: { files: 13_290, bytes: 116 * GIB },
    done: { files: (8112 * 7 ** n) % 13_290, bytes: ((71 + 13 * n) % 116) * GIB, chunks: 364, storedBytes: 38 * GIB },
    plan: { ...SAMPLE_STATE.plan, shards: 8, chunks: 12_000 },
    ...own,
  };
  await mkdir(join(home, 'state'), { recursive: true });
  await writeFile(join(home, 'state', `${uploadId}.json`), encodeState(state));
}

/** Makes this process the one that works on the nth upload. */
export const lockUpload = (home: string, n: number, host: string): Promise<void> =>
  writeFile(join(home, 'state', `${savedId(n)}.lock`), `${JSON.stringify(ownHolder(host))}\n`);
