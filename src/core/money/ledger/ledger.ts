// The ledger: one line for the cost of each run, in a file for each month (UTC) of the time in the record. Nothing is ever rewritten.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedOn, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { isUploadId } from '../../store/ids/upload-id.js';
import { appendDocuments, documentsFromEnd, readDocuments } from '../../platform/state/document-lines.js';
import { checkRecord, type LedgerRecord, RECORD, UPLOADS } from './record.js';

export const KIND = { type: 'cost-record', format: 1, noun: 'cost record', body: RECORD } as const;
const FILE = /^(\d{4}-\d{2})\.jsonl$/;
const UPLOAD = /"uploadId":"([^"]*)"/;
const MADE = new RegExp(`"operation":"(?:${UPLOADS.join('|')})"`);

/** Returns the ledger's folder. */
export const ledgerFolder = (home: string): string => join(home, 'ledger');

/**
 * Appends the records of one moment and flushes them to disk. `host` is this computer.
 * @throws integrity for a record that could not be read back; conflict while another process keeps the lock; access-denied, no-space, io
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
  /** Include records from this moment on. */
  readonly from?: Date | undefined;
  /** Include records before this moment. */
  readonly until?: Date | undefined;
}

export interface FoundRecords {
  /** Sorted by time; records of the same moment in the order they were appended. */
  readonly records: readonly LedgerRecord[];
  /** Number of lines that could not be read. */
  readonly skipped: number;
}

/** Reads the records of a time range; none when there is no ledger. @throws access-denied, io */
export async function readLedger(folder: string, { from, until }: LedgerRange = {}): Promise<FoundRecords> {
  const all: LedgerRecord[] = [];
  let unread = 0;
  for (const name of await filesOf(folder, { from, until })) {
    const { found, skipped } = await readDocuments(join(folder, name), KIND);
    unread += skipped;
    for (const record of found) all.push(record);
  }
  return { records: orderedRecords(all, { from, until }), skipped: unread };
}

/** Returns the records of a time range in order of time, each once; those of the same moment as they were given. */
export function orderedRecords(records: Iterable<LedgerRecord>, range: LedgerRange): readonly LedgerRecord[] {
  const byId = new Map<string, LedgerRecord>();
  for (const record of records) if (isWithin(record, range)) keep(byId, record);
  return [...byId.values()].sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
}

/** Adds a record, where the record of a finished run replaces the one it left when it was killed. */
function keep(byId: Map<string, LedgerRecord>, record: LedgerRecord): void {
  const { outcome = 'killed' } = byId.get(record.id) ?? {};
  if (outcome === 'killed') byId.set(record.id, record);
}

/** Projects by upload; null for one that was made without a project, and missing for one that no record tells of. */
export type Projects = ReadonlyMap<string, string | null>;

/**
 * Tells the project of an upload as a record of it does: null where it was made without one, undefined where the record does not tell, as
 * that of a computer which deleted from an upload that it knew nothing of.
 */
export function projectIn({ uploadId, project, operation }: LedgerRecord): string | null | undefined {
  if (project !== null && project !== uploadId) return project;
  return UPLOADS.includes(operation) ? null : undefined;
}

/**
 * Returns the projects of these uploads from the last record that tells each. An agent asks in every cycle, so the newest are read first,
 * and no more than needed. @throws access-denied, io
 */
export async function projectsOf(folder: string, uploadIds: readonly string[]): Promise<Projects> {
  const projects = new Map<string, string | null>();
  const wanted = new Set(uploadIds);
  if (wanted.size === 0) return projects;
  const mayTell = (line: Buffer): boolean => tellsOf(wanted, line.toString('latin1'));
  for (const name of (await filesOf(folder, { from: earliestTime(uploadIds) })).toReversed())
    for await (const record of documentsFromEnd(join(folder, name), KIND, mayTell)) {
      const { uploadId } = record;
      const project = projectIn(record);
      if (uploadId === null || project === undefined || !wanted.delete(uploadId)) continue;
      projects.set(uploadId, project);
      if (wanted.size === 0) return projects;
    }
  return projects;
}

/** False where `projectIn` would say nothing, so that the line need not be parsed: of another upload, or one of thousands of restores. */
function tellsOf(wanted: ReadonlySet<string>, line: string): boolean {
  const id = UPLOAD.exec(line)?.[1] ?? '';
  return wanted.has(id) && (!line.includes(`"project":"${id}"`) || MADE.test(line));
}

/**
 * Returns a day before the earliest of these uploads by their ids, because no older record names them; undefined when an id has no date.
 */
export function earliestTime(uploadIds: readonly string[]): Date | undefined {
  if (!uploadIds.every(isUploadId)) return undefined;
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(uploadIds.toSorted()[0] ?? '') ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1));
}

/** Returns names, sizes and times of the files as text, which changes as soon as something is recorded. @throws access-denied, io */
export async function ledgerStamp(folder: string): Promise<string> {
  const names = await filesOf(folder, {});
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(undefinedOn('ENOENT'))));
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
