// The ledger: what every run cost, one line of JSON each, in a file for each month (UTC) of the time in the record. A line is
// appended under a lock and flushed. One that was written in part, or is damaged, is skipped and counted; the lines after it
// are read. Nothing is ever rewritten.
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isArchiverError, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { holdLock } from '../state/lock.js';
import { syncFolder } from '../state/sync-folder.js';
import { checkRecord, type LedgerRecord, recordFrom } from './record.js';

const KIND = { type: 'cost-record', format: 1, noun: 'cost record' } as const;
const FILE = /^(\d{4}-\d{2})\.jsonl$/;
const LOCK = 'ledger.lock';
/** Longer lines are none of ours. */
const MAX_LINE = 2 ** 20;
const PATIENCE_MS = 10_000;
const NEWLINE = 10;
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
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileFailure('write', folder, error);
  }
  const lock = await holdLock(join(folder, LOCK), { host, what: 'the cost ledger', patienceMs: PATIENCE_MS });
  try {
    await appendLines(path, records.map((record) => encodeStateDocument(KIND, record)).join(''));
    await syncFolder(folder);
  } catch (error) {
    throw fileFailure('write', path, error);
  } finally {
    await lock.release();
  }
}

/** The same for one. */
export const appendRecord = (folder: string, record: LedgerRecord, own: { readonly host: string }): Promise<void> =>
  appendRecords(folder, [record], own);

async function appendLines(path: string, lines: string): Promise<void> {
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    // A process that was killed may have left a part of a line: ours must not become the end of it.
    const last = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    const isTorn = size > 0 && last.buffer[0] !== NEWLINE;
    await handle.appendFile(isTorn ? `\n${lines}` : lines);
    await handle.datasync();
  } finally {
    await handle.close();
  }
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
  const records: LedgerRecord[] = [];
  const seen = new Set<string>();
  let skipped = 0;
  for (const name of await filesOf(folder, { from, until })) {
    const path = join(folder, name);
    for (const line of linesOf(await bytesOf(path))) {
      const record = recordIn(line, path);
      if (record === undefined) skipped++;
      else if (isWithin(record, { from, until }) && !seen.has(record.id)) {
        seen.add(record.id);
        records.push(record);
      }
    }
  }
  records.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
  return { records, skipped };
}

/**
 * The project of each of these uploads that has another one than its id, by the last record that names it.
 * @throws access-denied, io
 */
export async function projectsOf(folder: string, uploadIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const projects = new Map<string, string>();
  const wanted = new Set(uploadIds);
  if (wanted.size === 0) return projects;
  for (const name of await filesOf(folder, {})) {
    const path = join(folder, name);
    for (const line of linesOf(await bytesOf(path))) {
      // Most lines are of other uploads, and need not be read as a whole.
      const uploadId = UPLOAD.exec(line.toString('latin1'))?.[1];
      if (uploadId === undefined || !wanted.has(uploadId)) continue;
      const project = recordIn(line, path)?.project ?? uploadId;
      if (project !== uploadId) projects.set(uploadId, project);
    }
  }
  return projects;
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

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw fileFailure('read', path, error);
  }
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found;
    if (end > at) yield bytes.subarray(at, end);
    at = end + 1;
  }
}

/** Undefined for a line that cannot be read. */
function recordIn(line: Buffer, path: string): LedgerRecord | undefined {
  if (line.length > MAX_LINE) return undefined;
  try {
    return recordFrom(parseStateDocument(line.toString('utf8'), KIND, { path, hint: '' }).fields);
  } catch (error) {
    if (isArchiverError(error)) return undefined;
    throw error;
  }
}

const isWithin = ({ time }: LedgerRecord, { from, until }: LedgerRange): boolean =>
  (from === undefined || time >= from.toISOString()) && (until === undefined || time < until.toISOString());
