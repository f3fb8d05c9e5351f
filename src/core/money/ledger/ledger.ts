// The ledger: what every run cost, one line each, in a file for each month (UTC) of the time in the record. Nothing is ever
// rewritten.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { noneOn, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { isUploadId } from '../../store/ids/upload-id.js';
import { appendDocuments, documentsFromEnd, readDocuments } from '../../platform/state/document-lines.js';
import { checkRecord, type LedgerRecord, RECORD } from './record.js';

const KIND = { type: 'cost-record', format: 1, noun: 'cost record', body: RECORD } as const;
const FILE = /^(\d{4}-\d{2})\.jsonl$/;
const UPLOAD = /"uploadId":"([^"]*)"/;

/** The ledger below `<home>`. */
export const ledgerFolder = (home: string): string => join(home, 'ledger');

/**
 * Appends the records of one moment and flushes them to disk. `host`: this computer.
 * @throws integrity for one that would not be read; conflict while another process keeps the lock; access-denied,
 * no-space, io
 */
export async function appendRecords(
  folder: string,
  records: readonly LedgerRecord[],
  { host }: { readonly host: string },
): Promise<void> {
  const [first] = records.map(checkRecord);
  if (first === undefined) return;
  const path = join(folder, `${first.time.slice(0, 7)}.jsonl`);
  const what = 'the cost ledger';
  await appendDocuments({ path, lockPath: join(folder, 'ledger.lock'), what, host }, KIND, records);
}

export interface LedgerRange {
  /** Records of this moment and later. */
  readonly from?: Date | undefined;
  /** Records before this moment. */
  readonly until?: Date | undefined;
}

export interface FoundRecords {
  /** By time; those of one moment as they were appended. */
  readonly records: readonly LedgerRecord[];
  /** Lines that could not be read. */
  readonly skipped: number;
}

/** The records of a time; none where there is no ledger. @throws access-denied, io */
export async function readLedger(folder: string, { from, until }: LedgerRange = {}): Promise<FoundRecords> {
  const byId = new Map<string, LedgerRecord>();
  let unread = 0;
  for (const name of await filesOf(folder, { from, until })) {
    const { found, skipped } = await readDocuments(join(folder, name), KIND);
    unread += skipped;
    for (const record of found) if (isWithin(record, { from, until })) keep(byId, record);
  }
  const records = [...byId.values()].sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
  return { records, skipped: unread };
}

/** What a run has recorded at its end counts before what it left when it was killed after that. */
function keep(byId: Map<string, LedgerRecord>, record: LedgerRecord): void {
  const { outcome = 'killed' } = byId.get(record.id) ?? {};
  if (outcome === 'killed') byId.set(record.id, record);
}

/**
 * The project of each of these uploads that has another one than its id, by the last record that names it: each takes over
 * what the one before said. An agent asks in every cycle, so the newest are read first, and no more than needed.
 * @throws access-denied, io
 */
export async function projectsOf(folder: string, uploadIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const projects = new Map<string, string>();
  const wanted = new Set(uploadIds);
  if (wanted.size === 0) return projects;
  const isOfThem = (line: Buffer): boolean => wanted.has(UPLOAD.exec(line.toString('latin1'))?.[1] ?? '');
  for (const name of (await filesOf(folder, { from: beginOf(uploadIds) })).toReversed())
    for await (const { uploadId, project } of documentsFromEnd(join(folder, name), KIND, isOfThem)) {
      if (uploadId === null || !wanted.delete(uploadId)) continue;
      if (project !== null && project !== uploadId) projects.set(uploadId, project);
      if (wanted.size === 0) return projects;
    }
  return projects;
}

/** A day before the first of these uploads began, as its id says: nothing older names them. Undefined where one does not say it. */
function beginOf(uploadIds: readonly string[]): Date | undefined {
  if (!uploadIds.every(isUploadId)) return undefined;
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(uploadIds.toSorted()[0] ?? '') ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1));
}

/** Names, sizes and times of its files: another text as soon as something was recorded. @throws access-denied, io */
export async function ledgerStamp(folder: string): Promise<string> {
  const names = await filesOf(folder, {});
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(noneOn('ENOENT'))));
  return names.map((name, at) => `${name} ${found[at]?.size} ${found[at]?.mtimeMs}`).join();
}

async function filesOf(folder: string, { from, until }: LedgerRange): Promise<readonly string[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFailure('read', folder, error);
  }
  const [first, last] = [from, until].map((time) => time?.toISOString().slice(0, 7));
  return names
    .filter((name) => {
      const month = FILE.exec(name)?.[1];
      return month !== undefined && (first === undefined || month >= first) && (last === undefined || month <= last);
    })
    .sort();
}

const isWithin = ({ time }: LedgerRecord, { from, until }: LedgerRange): boolean =>
  (from === undefined || time >= from.toISOString()) && (until === undefined || time < until.toISOString());
