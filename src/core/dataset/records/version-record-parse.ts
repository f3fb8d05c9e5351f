// Parses a version record from untrusted bytes: bounded, typed, and checked against its own digest and its key.
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { checkedDigest } from '../../platform/json/digested-json.js';
import { Fields } from '../../platform/json/json-fields.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { FORMAT_VERSION, type VersionRecord } from '../../format/manifest/manifest-types.js';
import { readObjectLock } from '../../format/manifest/object-lock.js';
import { COMMIT } from '../../format/manifest/provenance-parse.js';
import { readTotals } from '../../format/manifest/totals-parse.js';
import { readRequirements } from '../../format/manifest/requirements.js';
import { manifestKeyOf, readUploadId } from '../../store/ids/upload-id.js';
import { printable } from '../../platform/paths/raw-path.js';
import { TOMBSTONE_TYPE, type Tombstone } from './tombstone.js';
import { recordKey, type RecordPlace } from './version-record.js';
import { defined } from '../../platform/defined.js';

const MAX_DEPTH = 8;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

export interface ParsedRecord {
  readonly place: RecordPlace;
  readonly record: VersionRecord;
  /** As it was written, without `digest`: the basis of a rewritten record, so that unknown keys are kept. */
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * Reads what is stored under the key of a version: its record, or its tombstone when it was retired.
 * @throws integrity for what is damaged or foreign, unsupported for a newer format
 */
export function parseVersionRecord(
  bytes: Buffer,
  place: RecordPlace,
): ParsedRecord | { readonly tombstone: Tombstone } {
  const { datasetId, version, uploadId } = place;
  const key = recordKey(place);
  const what = `the version record ${printable(key)}`;
  const parsed = parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what);
  const fields = new Fields(parsed, what);
  const isRetired = fields.get('type') === TOMBSTONE_TYPE;
  if (!isRetired && fields.get('type') !== 'archiver-version')
    throw integrityError(`${what} was not written by archiver`);
  checkFormat(fields);
  const document = checkedDigest(parsed as object, what);
  if (document === undefined) throw integrityError(`${what} is damaged: its content does not match the digest in it`);
  const found = isRetired ? readTombstone(fields) : readRecord(fields);
  if (found.datasetId !== datasetId)
    throw integrityError(`${what} belongs to another dataset (${printable(found.datasetId)})`);
  if (found.version !== version) throw integrityError(`${what} belongs to another version (${found.version})`);
  if (uploadId !== undefined && found.uploadId !== uploadId)
    throw integrityError(`${what} belongs to another upload (${found.uploadId})`);
  return 'retiredAt' in found ? { tombstone: found } : { place, record: found, document };
}

const readTombstone = (fields: Fields): Tombstone => ({
  datasetId: fields.text('datasetId'),
  version: fields.count('version'),
  uploadId: readUploadId(fields),
  retiredAt: matching(fields, 'retiredAt', MOMENT, 'a time'),
});

function checkFormat(fields: Fields): void {
  const format = fields.count('format');
  if (format === FORMAT_VERSION) return;
  if (format < FORMAT_VERSION) fields.fail('format', String(FORMAT_VERSION));
  throw new ArchiverError(
    'unsupported',
    `${fields.what} has format ${format}, and this archiver reads ${FORMAT_VERSION}`,
    { hint: 'update archiver' },
  );
}

function readRecord(fields: Fields): VersionRecord {
  const requires = readRequirements(fields);
  const writerId = fields.optionalText('writerId');
  const encryption = readEncryption(fields);
  const isReplaced = fields.get('replacementSha256') !== undefined;
  const uploadId = readUploadId(fields);
  const manifestKey = fields.text('manifestKey');
  if (manifestKey !== manifestKeyOf(uploadId)) fields.fail('manifestKey', 'that of its upload');
  const createdAt = matching(fields, 'createdAt', MOMENT, 'a time');
  if (Number.isNaN(Date.parse(createdAt))) fields.fail('createdAt', 'a time');
  return {
    format: FORMAT_VERSION,
    type: 'archiver-version',
    ...requires,
    datasetId: fields.text('datasetId'),
    version: fields.count('version'),
    uploadId,
    manifestKey,
    manifestSha256: fields.sha256('manifestSha256'),
    createdAt,
    listing: readListing(fields),
    previous: fields.get('previous') === null ? null : fields.count('previous'),
    source: readSource(fields.object('source'), encryption?.manifest === true),
    totals: readTotals(fields.object('totals')),
    ...defined({ writerId, encryption, commit: readCommit(fields), objectLock: readObjectLock(fields) }),
    ...(isReplaced ? { replacementSha256: fields.sha256('replacementSha256') } : {}),
    digest: fields.sha256('digest'),
  };
}

function matching(fields: Fields, key: string, pattern: RegExp, expected: string): string {
  const text = fields.text(key);
  return pattern.test(text) ? text : fields.fail(key, expected);
}

function readListing(fields: Fields): VersionRecord['listing'] {
  const listing = fields.text('listing');
  return listing === 'full' || listing === 'delta' ? listing : fields.fail('listing', 'full or delta');
}

function readCommit(fields: Fields): VersionRecord['commit'] {
  const commit = fields.get('commit');
  return commit === undefined || commit === null ? commit : matching(fields, 'commit', COMMIT, 'a git commit in hex');
}

/** `encryption` of a record. @throws integrity */
export function readEncryption(record: Fields): VersionRecord['encryption'] {
  if (record.get('encryption') === undefined) return undefined;
  const fields = record.object('encryption');
  return { kmsKeyId: fields.text('kmsKeyId'), manifest: fields.flag('manifest') };
}

function readSource(fields: Fields, isNameless: boolean): VersionRecord['source'] {
  if (isNameless) return {};
  const pathBase64 = fields.optionalText('pathBase64');
  const host = fields.text('host');
  return pathBase64 === undefined ? { path: fields.text('path'), host } : { pathBase64, host };
}
