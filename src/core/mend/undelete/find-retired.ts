// Finds the tombstone of a version by its name, with the ETag of the very bytes that were read.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { readAll } from '../../store/read-content.js';
import type { ObjectReader } from '../../store/object-store.js';
import { missingVersion, oneOf, type VersionSelector } from '../../dataset/records/version-selector.js';
import { parseVersionRecord, type ParsedRecord } from '../../dataset/records/version-record-parse.js';
import type { Tombstone } from '../../dataset/records/tombstone.js';
import { isLive, listOrdinals, type ListedVersion, MAX_RECORD_BYTES } from '../../dataset/records/versions.js';

export type OrdinalSelector = Extract<VersionSelector, { kind: 'ordinal' }>;

/** A version that was retired. */
export interface Retired {
  readonly listed: ListedVersion;
  readonly tombstone: Tombstone;
  /** The tombstone as it is stored. */
  readonly bytes: Buffer;
  /** Of these bytes; or of none that are there now. */
  readonly etag: string;
}

/** A version that is not retired. */
export interface NotRetired {
  readonly listed: ListedVersion;
  readonly record: ParsedRecord['record'];
}

/** The tombstone of the version, or its record. One LIST and one GET. @throws not-found; usage for a fork without its letter; integrity */
export async function findRetired(
  reader: ObjectReader,
  datasetId: string,
  selector: OrdinalSelector,
  signal: AbortSignal,
): Promise<Retired | NotRetired> {
  const versions = await listOrdinals(reader, datasetId, signal);
  const listed = oneOf({ datasetId, versions }, selector);
  const missing = (): Error => missingVersion(reader, { datasetId, versions: versions.filter(isLive) }, selector);
  if (listed === undefined) throw missing();
  const { etag, bytes } = await readObject(reader, listed.key, signal).catch((error: unknown) => {
    throw isArchiverError(error, 'not-found') ? missing() : error;
  });
  const found = parseVersionRecord(bytes, listed);
  if ('record' in found) return { listed, record: found.record };
  return { listed, tombstone: found.tombstone, bytes, etag };
}

/** Reads the bytes. The ETag is theirs, or that of what was there before them: then no condition on it holds. @throws not-found */
async function readObject(reader: ObjectReader, key: string, signal: AbortSignal) {
  const before = await reader.head(key, signal);
  if (before === undefined) throw new ArchiverError('not-found', `${reader.url} has no ${key}`);
  const bytes = await readAll(await reader.get(key, { signal }), MAX_RECORD_BYTES);
  return { etag: before.etag, bytes };
}
