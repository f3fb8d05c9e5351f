// What a prune is about to delete, written down before the first record goes: without it a prune that is killed would
// leave uploads without a record, which nobody may touch before they count as abandoned. It only says what the next prune
// may finish; an upload in it that still has a record is a version like any other.
import { createHash } from 'node:crypto';
import { integrityError, isArchiverError } from '../../errors.js';
import { Fields } from '../../manifest/json-fields.js';
import { parseBoundedJson } from '../../manifest/json-guard.js';
import type { ObjectInfo, ObjectReader, ObjectStore } from '../../object-store/object-store.js';
import { readAll } from '../../object-store/read-content.js';
import { printable } from '../../raw-path.js';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 4;
const UPLOAD_ID = /^\d{8}-\d{6}-[0-9a-f]{8}$/;

export interface Journals {
  readonly objects: readonly ObjectInfo[];
  /** Uploads that they name. */
  readonly uploads: ReadonlySet<string>;
  /** What is wrong with those that cannot be read. */
  readonly problems: readonly string[];
}

const prefixOf = (datasetId: string): string => `datasets/${datasetId}/prune-`;

/** Writes the journal of one prune; `random` are four random bytes. Returns its key. @throws what writing throws */
export async function writeJournal(
  store: ObjectStore,
  { datasetId, uploads, random }: { datasetId: string; uploads: readonly string[]; random: Uint8Array },
  signal: AbortSignal,
): Promise<string> {
  const key = `${prefixOf(datasetId)}${Buffer.from(random.subarray(0, 4)).toString('hex')}.json`;
  const document = { format: 1, type: 'archiver-prune', datasetId, uploads };
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const body = Buffer.from(`${JSON.stringify({ ...document, digest })}\n`, 'utf8');
  await store.put(key, body, { contentType: 'application/json', signal });
  return key;
}

/** The journals that earlier prunes of the dataset left. @throws what the store throws */
export async function readJournals(reader: ObjectReader, datasetId: string, signal: AbortSignal): Promise<Journals> {
  const objects: ObjectInfo[] = [];
  for await (const page of reader.list({ prefix: prefixOf(datasetId), signal })) {
    objects.push(
      ...page.objects.filter(({ key }) => /^[0-9a-f]{8}\.json$/.test(key.slice(prefixOf(datasetId).length))),
    );
  }
  const uploads = new Set<string>();
  const problems: string[] = [];
  for (const { key } of objects) {
    try {
      for (const uploadId of await readJournal(reader, key, datasetId, signal)) uploads.add(uploadId);
    } catch (error) {
      // Gone since it was listed: another prune has finished what it named.
      if (isArchiverError(error, 'not-found')) continue;
      if (!isArchiverError(error, 'integrity')) throw error;
      problems.push(error.message);
    }
  }
  return { objects, uploads, problems };
}

async function readJournal(
  reader: ObjectReader,
  key: string,
  datasetId: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const what = `the journal of a prune ${printable(key)}`;
  const bytes = await readAll(await reader.get(key, { signal }), MAX_BYTES);
  const parsed = parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what);
  const fields = new Fields(parsed, what);
  const { digest, ...document } = parsed as Record<string, unknown>;
  const actual = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  if (digest !== actual || fields.get('datasetId') !== datasetId || fields.get('format') !== 1)
    throw integrityError(`${what} is damaged, and was not used`);
  return fields.list('uploads').filter((id): id is string => typeof id === 'string' && UPLOAD_ID.test(id));
}
