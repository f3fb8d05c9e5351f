// Rewrites a version record in place, which only the replacing of a manifest does. The store has no compare-and-swap that
// all servers know, so the record is looked at right before: one that is gone or says something else stops the caller.
import { ArchiverError, isArchiverError } from '../errors.js';
import type { Totals, VersionRecord } from '../manifest/manifest-types.js';
import type { ObjectStore } from '../object-store/object-store.js';
import { printable } from '../raw-path.js';
import { encodeVersionRecord, versionKey } from './version-record.js';
import type { ParsedRecord } from './version-record-parse.js';
import { readParsedRecord } from './versions.js';

export interface RecordChange {
  readonly manifestSha256?: string;
  /** Left out: the record no longer names a second digest. */
  readonly replacementSha256?: string;
  readonly listing?: VersionRecord['listing'];
  readonly totals?: Totals;
}

export interface ChangeRecordOptions {
  /** Digests that the record may name as its manifest's right now; others mean that somebody else replaced it. */
  readonly expected: readonly string[];
  readonly signal: AbortSignal;
}

/** Writes the record of `version` with the change. @throws conflict when somebody else removed or replaced it meanwhile */
export async function changeRecord(
  store: ObjectStore,
  version: ParsedRecord,
  { replacementSha256, ...change }: RecordChange,
  { expected, signal }: ChangeRecordOptions,
): Promise<void> {
  const { datasetId, version: ordinal, uploadId } = version.record;
  const { replacementSha256: _old, ...document } = await currentDocument(store, version, signal);
  if (document['uploadId'] !== uploadId || !expected.includes(String(document['manifestSha256'])))
    throw changed(datasetId, ordinal, 'was rewritten by somebody else');
  const next = { ...document, ...change, ...(replacementSha256 === undefined ? {} : { replacementSha256 }) };
  // What the document has beside the fields of the type was written by a newer archiver, and stays.
  const body = encodeVersionRecord(next as unknown as Omit<VersionRecord, 'digest'>);
  await store.put(versionKey(datasetId, ordinal), body, { contentType: 'application/json', signal });
}

async function currentDocument(
  store: ObjectStore,
  { record }: ParsedRecord,
  signal: AbortSignal,
): Promise<ParsedRecord['document']> {
  try {
    return (await readParsedRecord(store, record.datasetId, record.version, signal)).document;
  } catch (error) {
    if (isArchiverError(error, 'not-found')) throw changed(record.datasetId, record.version, 'was removed');
    throw error;
  }
}

const changed = (datasetId: string, version: number, what: string): ArchiverError =>
  new ArchiverError(
    'conflict',
    `version ${version} of dataset ${printable(datasetId)} ${what} while its manifest was being replaced`,
    {
      hint: 'run the same command again',
    },
  );
