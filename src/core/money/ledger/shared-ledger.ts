// A ledger that several computers share: one object a record, below `ledger/<month>/`, written once and never changed. What was read is
// remembered on this computer.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isArchiverError, usageError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { appendDocuments, readDocuments } from '../../platform/state/document-lines.js';
import type { ObjectStore } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { formatStoreUrl, parseStoreUrl, storeUrlOf } from '../../store/store-url.js';
import {
  earliestTime,
  type FoundRecords,
  KIND,
  type LedgerRange,
  orderedRecords,
  projectIn,
  type Projects,
} from './ledger.js';
import { checkRecord, type LedgerRecord } from './record.js';

const TOP = 'ledger/';
const KEY = /^ledger\/\d{4}-\d{2}\/([0-9a-f]{16}(?:\.killed)?)\.json$/;
const MAX_BYTES = 2 ** 20;
const AT_ONCE = 16;

/** Returns the URL of the place; undefined for `local`. @throws usage for one that is none */
export function sharedLedgerUrl(place: string, cwd: string): string | undefined {
  if (place === 'local') return undefined;
  const url = storeUrlOf(place, cwd);
  if (url === undefined)
    throw usageError(
      'the ledger store is local, s3://bucket/prefix or file:///absolute/folder',
      'see ARCHIVER_LEDGER_STORE',
    );
  return formatStoreUrl(parseStoreUrl(url));
}

/** A run that was taken for killed and ended after all has two records. */
const nameOf = ({ id, outcome }: LedgerRecord): string => (outcome === 'killed' ? `${id}.killed` : id);
const keyOf = (record: LedgerRecord): string => `${TOP}${record.time.slice(0, 7)}/${nameOf(record)}.json`;

/**
 * Writes the records, each once; the first of each project before the others, since what that of a rebase corrects in budgets goes for the
 * others as well. @throws integrity for a record that could not be read back; what the store says
 */
export async function shareRecords(
  store: ObjectStore,
  records: readonly LedgerRecord[],
  signal?: AbortSignal,
): Promise<void> {
  const first = new Set(new Map(records.toReversed().map((record) => [record.project, record])).values());
  await share(store, [...first], signal);
  await share(
    store,
    records.filter((record) => !first.has(record)),
    signal,
  );
}

async function share(store: ObjectStore, records: readonly LedgerRecord[], signal?: AbortSignal): Promise<void> {
  await forEachLimit(records.map(checkRecord), AT_ONCE, async (record) => {
    const body = Buffer.from(encodeStateDocument(KIND, record));
    const options = { contentType: 'application/json', signal };
    try {
      await store.put(keyOf(record), body, { ...options, ifAbsent: true });
    } catch (error) {
      // It was written before, and the answer was lost.
      if (isArchiverError(error, 'conflict')) return;
      if (!isArchiverError(error, 'unsupported')) throw error;
      // No two records have one key, so that a store without conditions does as well.
      await store.put(keyOf(record), body, options);
    }
  });
}

export interface SharedReading {
  /** Folder that remembers what was read of this place. */
  readonly memory: string;
  /** This computer. */
  readonly host: string;
  readonly signal: AbortSignal;
}

/** Returns the folder that remembers what was read of a shared ledger. @param folder of the ledger of this computer */
export const memoryOf = (folder: string, url: string): string =>
  join(folder, 'shared', createHash('sha256').update(url).digest('hex').slice(0, 16));

/** Reads the records of all computers in a time range. @throws what the store says to a listing or a GET; access-denied, io */
export async function readShared(
  store: ObjectStore,
  { from, until, ...reading }: SharedReading & LedgerRange,
): Promise<FoundRecords> {
  const [first, last] = [from, until].map((time) => time?.toISOString().slice(0, 7));
  const records: LedgerRecord[] = [];
  let skipped = 0;
  for (const month of await monthsOf(store, reading.signal)) {
    if ((first !== undefined && month < first) || (last !== undefined && month > last)) continue;
    const found = await readMonth(store, month, reading);
    records.push(...found.records);
    skipped += found.skipped;
  }
  return { records: withProjects(orderedRecords(records, { from, until })), skipped };
}

/**
 * Returns the projects of these uploads as records of all computers tell them: month by month from the earliest upload on, and no more than
 * needed. @throws as `readShared`
 */
export async function sharedProjectsOf(
  store: ObjectStore,
  uploadIds: readonly string[],
  reading: SharedReading,
): Promise<Projects> {
  const projects = new Map<string, string | null>();
  const wanted = new Set(uploadIds);
  if (wanted.size === 0) return projects;
  const first = earliestTime(uploadIds)?.toISOString().slice(0, 7) ?? '';
  for (const month of await monthsOf(store, reading.signal)) {
    if (month < first) continue;
    const { records } = await readMonth(store, month, reading);
    for (const record of orderedRecords(records, {})) {
      const { uploadId } = record;
      const project = projectIn(record);
      if (uploadId !== null && project !== undefined && wanted.has(uploadId)) projects.set(uploadId, project);
    }
    for (const uploadId of projects.keys()) wanted.delete(uploadId);
    if (wanted.size === 0) break;
  }
  return projects;
}

async function monthsOf(store: ObjectStore, signal: AbortSignal): Promise<readonly string[]> {
  const months: string[] = [];
  for await (const { prefixes } of store.list({ prefix: TOP, delimiter: '/', signal }))
    months.push(...prefixes.map((prefix) => prefix.slice(TOP.length, -1)));
  return months.filter((month) => /^\d{4}-\d{2}$/.test(month)).sort();
}

async function readMonth(
  store: ObjectStore,
  month: string,
  { memory, host, signal }: SharedReading,
): Promise<FoundRecords> {
  const path = join(memory, `${month}.jsonl`);
  const known = new Map((await readDocuments(path, KIND)).found.map((record) => [nameOf(record), record]));
  const records: LedgerRecord[] = [];
  const fresh: LedgerRecord[] = [];
  let skipped = 0;
  const missing: string[] = [];
  for await (const { objects } of store.list({ prefix: `${TOP}${month}/`, signal }))
    for (const { key } of objects) {
      const name = KEY.exec(key)?.[1];
      const record = name === undefined ? undefined : known.get(name);
      if (record !== undefined) records.push(record);
      else if (name !== undefined) missing.push(key);
    }
  await forEachLimit(missing, AT_ONCE, async (key) => {
    const text = (await readAll(await store.get(key, { signal }), MAX_BYTES)).toString();
    try {
      fresh.push(readStateDocument(text, KIND, { path: `${store.url}/${key}`, hint: '' }));
    } catch (error) {
      if (!isArchiverError(error)) throw error;
      skipped++;
    }
  });
  if (fresh.length > 0)
    await appendDocuments(
      { path, lockPath: join(memory, 'shared.lock'), what: 'the remembered ledger', host },
      KIND,
      fresh,
    );
  return { records: [...records, ...fresh], skipped };
}

/** What one computer does with an upload of another belongs to the project that the upload was made for. */
function withProjects(records: readonly LedgerRecord[]): readonly LedgerRecord[] {
  const projects = new Map<string, string>();
  for (const { uploadId, project } of records)
    if (uploadId !== null && project !== null && project !== uploadId) projects.set(uploadId, project);
  return records.map((record) => {
    const { uploadId, project } = record;
    const named = uploadId !== null && project === uploadId ? projects.get(uploadId) : undefined;
    return named === undefined ? record : { ...record, project: named };
  });
}
