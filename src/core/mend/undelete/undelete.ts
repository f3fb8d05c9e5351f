// Brings a version back that a prune has retired, under its own number (rules.md#undelete): a look at the tombstone and at all that the version
// needs, its record in the place of the very tombstone that was looked at, and a look once more. Killed in between, the version is listed,
// and the same command looks at it again.
import { type ExpectedDigests, expectedIn } from '../../dataset/records/assert-expected.js';
import { CHECK_VALID_MS, isCheckExpired } from '../../dataset/check-references.js';
import { digestsIn } from '../../dataset/records/recorded-digests.js';
import { parseVersionRecord } from '../../dataset/records/version-record-parse.js';
import { versionNumber } from '../../dataset/records/version-name.js';
import { effectiveLock } from '../../format/manifest/object-lock.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { refuseShared } from '../../store/plain-store.js';
import { putIfUnchanged } from '../../store/put-if-unchanged.js';
import type { ObjectStore } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { type NotRetired, findRetired, type OrdinalSelector, type Retired } from './find-retired.js';
import { lookAtNeeds, type Needs } from './look-at-needs.js';
import { rebuiltRecord } from './rebuild-record.js';
import {
  changedError,
  lateError,
  nameOf,
  notProvenError,
  PUT_BACK,
  retiredAgainError,
  unseenError,
  unsoundError,
} from './refusals.js';

export interface UndeleteRequest {
  readonly datasetId: string;
  readonly version: OrdinalSelector;
  /** Age at which prunes there execute marks. */
  readonly graceMs: number;
  /** Taken for the digest of its manifest, whatever the tombstone says. */
  readonly manifestSha256?: string | undefined;
  /** Looks, and changes nothing. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

export interface Undeleted {
  /** The record as it is, or will be. */
  readonly record: VersionRecord;
  /** Undefined for a version that was never retired, which was not looked at. */
  readonly needs: Needs | undefined;
  /** True when its record was put back, or will be: it was retired. */
  readonly isPut: boolean;
}

/**
 * Brings the version back. @throws not-found; conflict when a sweep may have of it in hand, or another process was faster; integrity when
 * something of it is gone, or its manifest is not proven; plain-store; what the store throws
 */
export async function undelete(store: ObjectStore, request: UndeleteRequest): Promise<Undeleted> {
  const { datasetId, version, dryRun, signal } = request;
  const found = await findRetired(store, datasetId, version, signal);
  if ('record' in found) return await lookAgain(store, found, request);
  refuseShared(store, `replacing ${printable(found.listed.key)}`);
  const lookedAtMs = Date.now();
  const needs = await looked(store, found, request, CHECK_VALID_MS);
  const body = rebuiltRecord(found.tombstone, needs.manifest);
  const parsed = parseVersionRecord(body, found.listed);
  if (!('record' in parsed)) throw integrityError(`${printable(found.listed.key)} would be a tombstone`);
  const { fork } = found.listed;
  const record = fork === undefined ? parsed.record : { ...parsed.record, fork };
  if (dryRun) return { record, needs, isPut: true };
  throwIfCancelled(signal);
  if (isCheckExpired(lookedAtMs)) throw lateError(found);
  const etag = await putRecord(store, found, { body, record, signal });
  return { record, needs: await lookAfter(store, found, etag, request), isPut: true };
}

/** Digests that the manifest may have. @throws integrity when nothing says which */
function expectedOf({ tombstone: { datasetId, manifestSha256 } }: Retired, given: string | undefined): ExpectedDigests {
  const sha256 = given ?? manifestSha256;
  return expectedIn(datasetId, sha256 === undefined ? [] : [sha256]);
}

/** Looks at what the version needs; `leftMs` of the grace must be left, in which its record can arrive. @throws what keeps it from coming back */
async function looked(
  store: ObjectStore,
  retired: Retired,
  { graceMs, manifestSha256, signal }: UndeleteRequest,
  leftMs: number,
): Promise<Needs> {
  const { uploadId, datasetId } = retired.tombstone;
  const expected = expectedOf(retired, manifestSha256);
  const options = { uploadId, expected, at: await store.time(signal), youngMs: graceMs - leftMs, signal };
  const needs = await lookAtNeeds(store, options).catch((error: unknown) => {
    if (!isArchiverError(error, 'not-found', 'integrity')) throw error;
    throw unsoundError(store, retired, [error.message], error);
  });
  if (expected.length === 0) throw notProvenError(store, retired, needs.manifest.sha256);
  const { head } = needs.manifest;
  if (head.datasetId !== datasetId)
    throw unsoundError(store, retired, [`its manifest is of dataset ${printable(head.datasetId)}`]);
  if (needs.problems.length > 0) throw unsoundError(store, retired, needs.problems);
  return needs;
}

interface Putting {
  readonly body: Buffer;
  readonly record: VersionRecord;
  readonly signal: AbortSignal;
}

/**
 * Puts the record over exactly the tombstone that was looked at, and returns its ETag. That one like it is there already proves nothing: another
 * process may have put it, and may have said so.
 */
async function putRecord(store: ObjectStore, retired: Retired, { body, record, signal }: Putting): Promise<string> {
  const retention = effectiveLock(undefined, record.objectLock, new Date());
  const writing = { contentType: 'application/json', ifMatch: retired.etag, retention, signal };
  try {
    return (await putIfUnchanged(store, retired.listed.key, body, writing)).etag;
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    throw changedError(store, retired, error);
  }
}

/** The look after the record, by which a sweep that began before it is known to have none of it. @throws after the tombstone is back */
async function lookAfter(store: ObjectStore, retired: Retired, etag: string, request: UndeleteRequest): Promise<Needs> {
  try {
    const needs = await looked(store, retired, request, 0);
    const now = await findRetired(store, request.datasetId, request.version, request.signal);
    // Whoever has brought it back since has not looked yet, perhaps, and may put the tombstone back.
    const isOurs = 'record' in now && now.record.wasRetiredAt === retired.tombstone.retiredAt;
    if (!isOurs) throw retiredAgainError(retired);
    return needs;
  } catch (error) {
    if (isArchiverError(error, 'integrity'))
      throw new ArchiverError(error.code, `${error.message}; ${await takeBack(store, retired, etag)}`, {
        cause: error,
        hint: error.hint,
      });
    if (!isArchiverError(error) || isArchiverError(error, 'conflict')) throw error;
    throw unseenError(retired, error);
  }
}

/** Puts the same tombstone over the record that this process has put; says what became of it. Also after a cancellation. */
async function takeBack(store: ObjectStore, { listed, bytes, ...retired }: Retired, etag: string): Promise<string> {
  try {
    await putIfUnchanged(store, listed.key, bytes, { contentType: 'application/json', ifMatch: etag });
    return PUT_BACK;
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    return `${nameOf({ listed, ...retired })} is listed, and its tombstone could not be put back: ${error.message}`;
  }
}

/** A version that is listed: nothing is changed. One that was brought back is looked at, since who did so may have been killed before that. */
async function lookAgain(
  store: ObjectStore,
  { listed, record }: NotRetired,
  { graceMs, signal }: UndeleteRequest,
): Promise<Undeleted> {
  const { wasRetiredAt, datasetId, uploadId } = record;
  const shown = { ...record, ...(listed.fork === undefined ? {} : { fork: listed.fork }) };
  if (wasRetiredAt === undefined) return { record: shown, needs: undefined, isPut: false };
  const expected = expectedIn(datasetId, digestsIn(record));
  const now = await store.time(signal);
  // Whoever has just put it may not have looked after it. Later the record may have been rewritten, and its time says nothing of marks.
  const isFresh = now.getTime() - listed.lastModified.getTime() < 2 * CHECK_VALID_MS;
  const at = isFresh ? listed.lastModified : undefined;
  const needs = await lookAtNeeds(store, { uploadId, expected, at, youngMs: graceMs, signal });
  if (needs.problems.length === 0) return { record: shown, needs, isPut: false };
  throw integrityError(
    `version ${versionNumber(listed)} of dataset ${printable(datasetId)} was brought back, and may not be whole: ${needs.problems[0]}`,
    {
      hint: `archiver verify ${printable(store.url)} --dataset-id ${printable(datasetId)} --version ${versionNumber(listed)}`,
    },
  );
}
