// Parses a version record from untrusted bytes: bounded, typed, and checked against its own digest and its key.
import { checkFormat, readObject, readValue } from '../../platform/documents/read-document.js';
import { integrityError } from '../../platform/failures/errors.js';
import { checkedDigest } from '../../platform/json/digested-json.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { FORMAT_VERSION, type VersionRecord } from '../../format/manifest/manifest-types.js';
import { RECORD } from '../../format/manifest/record-schema.js';
import { checkRequirements } from '../../format/manifest/requirements.js';
import { printable } from '../../platform/paths/raw-path.js';
import { TOMBSTONE, TOMBSTONE_TYPE, type Tombstone } from './tombstone.js';
import { recordKey, type RecordPlace } from './version-record.js';

const MAX_DEPTH = 8;

export interface ParsedRecord {
  readonly place: RecordPlace;
  readonly record: VersionRecord;
  /** The document as it was written, without `digest`: the basis of a rewritten record, so that unknown keys are kept. */
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * Parses the object under the key of a version: its record, or its tombstone when it was retired.
 * @throws integrity for damaged or foreign content, unsupported for a newer format
 */
export function parseVersionRecord(
  bytes: Buffer,
  place: RecordPlace,
): ParsedRecord | { readonly tombstone: Tombstone } {
  const { datasetId, version, uploadId } = place;
  const key = recordKey(place);
  const what = `the version record ${printable(key)}`;
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what), what);
  const { type } = parsed;
  const isRetired = type === TOMBSTONE_TYPE;
  if (!isRetired && type !== 'archiver-version') throw integrityError(`${what} was not written by archiver`);
  checkFormat(parsed, 'format', FORMAT_VERSION, what);
  const document = checkedDigest(parsed, what);
  if (document === undefined) throw integrityError(`${what} is damaged: its content does not match the digest in it`);
  const found = isRetired ? readValue(TOMBSTONE, parsed, what) : readRecord(parsed, what);
  if (found.datasetId !== datasetId)
    throw integrityError(`${what} belongs to another dataset (${printable(found.datasetId)})`);
  if (found.version !== version) throw integrityError(`${what} belongs to another version (${found.version})`);
  if (uploadId !== undefined && found.uploadId !== uploadId)
    throw integrityError(`${what} belongs to another upload (${found.uploadId})`);
  return 'retiredAt' in found ? { tombstone: found } : { place, record: found, document };
}

function readRecord(parsed: object, what: string): VersionRecord {
  checkRequirements(parsed, what);
  const record = readValue(RECORD, parsed, what);
  return record.encryption?.manifest === true ? { ...record, source: {} } : record;
}
