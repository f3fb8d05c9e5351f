// Rewrites a version record in place, which only replacing a manifest does. The new record replaces exactly the one that was
// read: if it was rewritten or retired meanwhile, even while this process was suspended, the caller gets an error.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import type { ManifestIndex, Totals, VersionRecord } from '../../format/manifest/manifest-types.js';
import { effectiveLock } from '../../format/manifest/object-lock.js';
import type { ObjectStore, Retention } from '../../store/object-store.js';
import { putIfUnchanged } from '../../store/put-if-unchanged.js';
import { printable } from '../../platform/paths/raw-path.js';
import { encodeVersionRecord, recordKey } from './version-record.js';
import type { ParsedRecord } from './version-record-parse.js';
import { versionNumber } from './version-name.js';
import { readParsedRecord } from './versions.js';

export interface RecordChange {
  readonly manifestSha256?: string;
  /** Of the manifest with `manifestSha256`, which comes with it. */
  readonly manifestIndex?: ManifestIndex | undefined;
  /** When left out, the record no longer names a second digest. */
  readonly replacementSha256?: string;
  readonly listing?: VersionRecord['listing'];
  readonly totals?: Totals;
}

export interface ChangeRecordOptions {
  /** Digests that the record may name as its manifest's right now; others mean that another process replaced it. */
  readonly expected: readonly string[];
  readonly signal: AbortSignal;
}

/** Other processes change a record a few times while they replace one manifest. */
const TRIES = 8;

/** Writes the record of `version` with the change. @throws conflict when another process retired or rewrote it meanwhile */
export async function changeRecord(
  store: ObjectStore,
  version: ParsedRecord,
  { replacementSha256, manifestIndex, ...change }: RecordChange,
  { expected, signal }: ChangeRecordOptions,
): Promise<void> {
  const rewritten = 'was rewritten by another process';
  for (let tries = 1; ; tries++) {
    const { etag, retention, document } = await readCurrent(store, version, signal);
    const { replacementSha256: _old, manifestIndex: before, ...kept } = document;
    const index = change.manifestSha256 === undefined ? before : manifestIndex;
    const body = encoded({ ...kept, ...change, ...defined({ manifestIndex: index, replacementSha256 }) });
    // Also when it is our own, from a request whose answer was lost.
    if (body.equals(encoded(document))) return;
    if (document['uploadId'] !== version.record.uploadId || !expected.includes(String(document['manifestSha256'])))
      throw changed(version, rewritten);
    try {
      const writing = { contentType: 'application/json', ifMatch: etag, retention, signal };
      await putIfUnchanged(store, recordKey(version.place), body, writing);
      return;
    } catch (error) {
      if (!isArchiverError(error, 'conflict')) throw error;
      if (tries === TRIES) throw changed(version, rewritten, error);
    }
  }
}

// Keys that the type does not have were written by a newer archiver, and are kept.
const encoded = (document: ParsedRecord['document']): Buffer =>
  encodeVersionRecord(document as unknown as Omit<VersionRecord, 'digest'>);

/** Reads the record. The ETag is that of the document, or of an earlier one: then the condition fails. */
async function readCurrent(
  store: ObjectStore,
  version: ParsedRecord,
  signal: AbortSignal,
): Promise<{
  readonly etag: string;
  /** Lock of the new record, which is that of the old one. */
  readonly retention: Retention | undefined;
  readonly document: ParsedRecord['document'];
}> {
  const info = await store.head(recordKey(version.place), signal);
  if (info === undefined) throw changed(version, 'was removed');
  try {
    const { record, document } = await readParsedRecord(store, version.place, signal);
    return { etag: info.etag, retention: effectiveLock(info.retention, record.objectLock, new Date()), document };
  } catch (error) {
    if (isArchiverError(error, 'not-found')) throw changed(version, 'was retired', error);
    throw error;
  }
}

const changed = ({ record }: ParsedRecord, what: string, cause?: unknown): ArchiverError =>
  new ArchiverError(
    'conflict',
    `version ${versionNumber(record)} of dataset ${printable(record.datasetId)} ${what} while its manifest was being replaced`,
    { cause, hint: 'run the same command again' },
  );
