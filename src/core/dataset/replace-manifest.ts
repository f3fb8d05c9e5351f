// Replaces a manifest, for compaction, balance and repair (rules.md#rewrites). The new one is written beside the old one and verified as if
// it were in place, the old bytes are backed up, the records name both digests, the swap is conditional on the manifest that was checked,
// and then the records name the new digest alone. A process may be killed after each step: readers find the old or the new manifest whole.
// Nothing is deleted. The names of the objects beside it contain digests, so that runs do not get in each other's way; they stay until a
// prune sweeps them.
import { hash } from 'node:crypto';
import { ArchiverError, integrityError, isArchiverError } from '../platform/failures/errors.js';
import { isSealed } from '../format/encryption/envelope.js';
import { indexOf, MAX_LOADED_BYTES } from '../format/manifest/loaded-manifest.js';
import type { EncodedManifest } from '../format/manifest/encoded-manifest.js';
import { manifestCopyKeyOf, type ManifestCopyLabel } from '../format/manifest/manifest-copy.js';
import { openManifest } from '../format/manifest/open-manifest.js';
import { SweptUpload } from '../format/manifest/fence.js';
import type { EncodedSegment } from '../format/manifest/segment-texts.js';
import { manifestKeyOf, uploadFolder, type UploadId, uploadUrlOf } from '../store/ids/upload-id.js';
import { forEachLimit } from '../platform/limits/for-each-limit.js';
import { effectiveLock } from '../format/manifest/object-lock.js';
import type { ObjectReader, ObjectStore, Retention } from '../store/object-store.js';
import { putIfUnchanged } from '../store/put-if-unchanged.js';
import { readAll } from '../store/read-content.js';
import { throwIfCancelled } from '../store/store-error.js';
import { changeRecord, type RecordChange } from './records/change-record.js';
import { checkFolder, isCheckExpired } from './check-references.js';
import { lostChunks } from './chain/lost-chunks.js';
import type { ParsedRecord } from './records/version-record-parse.js';
import { recordKey } from './records/version-record.js';
import { refuseShared } from '../store/plain-store.js';

const SEGMENTS_AT_ONCE = 8;

export interface ReplaceOptions {
  readonly uploadId: UploadId;
  /** Part of the names of the objects beside the manifest. */
  readonly label: Exclude<ManifestCopyLabel, 'copy'>;
  /** The stored manifest; undefined when there is none. */
  readonly replaced: { readonly bytes: Uint8Array; readonly sha256: string } | undefined;
  readonly next: EncodedManifest;
  /** Version records that name the upload. */
  readonly records: readonly ParsedRecord[];
  /** The version that the manifest belongs to, unless it is that of the first record. */
  readonly lockedAs?: ParsedRecord | undefined;
  /** Changes of the records beside the digest. */
  readonly change?: Pick<RecordChange, 'listing' | 'totals'>;
  /** Throws when the manifest written beside the old one is not fit to replace it; gets the store as it will be after the swap. */
  readonly verify: (afterSwap: ObjectReader) => Promise<void>;
  readonly signal: AbortSignal;
  /** Wall clock in milliseconds: the monotonic one stops while a computer sleeps. */
  readonly now?: () => number;
}

/** Key, relative to the base, of the copy of the replaced manifest. */
export const backupKeyOf = (uploadId: UploadId, label: ReplaceOptions['label'], sha256: string): string =>
  `${manifestKeyOf(uploadId)}.${sha256.slice(0, 8)}.pre-${label}.bak`;

/**
 * Replaces the manifest of an upload. Returns the key of the copy of the old one.
 * @throws conflict, integrity, what the store throws; readers find the old or the new one at every moment
 */
export async function replaceManifest(store: ObjectStore, options: ReplaceOptions): Promise<string | undefined> {
  const { uploadId, label, replaced, next, change, signal, now = Date.now } = options;
  refuseShared(store, `replacing ${manifestKeyOf(uploadId)}`);
  const startedMs = now();
  const before = await readCurrent(store, uploadId, signal);
  if (before?.sha256 !== next.sha256) {
    if (before?.sha256 !== replaced?.sha256) throw rivalError(uploadId);
    await prepare(store, options);
    throwIfCancelled(signal);
    if (isCheckExpired(startedMs, now())) throw lateError(uploadId);
    await swap(store, options, before?.etag);
  } // else another run has put the same bytes, and only the records remain to be changed
  await changeRecords(store, options, {
    ...change,
    manifestSha256: next.sha256,
    manifestIndex: next.opened === undefined ? indexOf(next) : undefined,
  });
  await restoreLost(store, options);
  return replaced && backupKeyOf(uploadId, label, replaced.sha256);
}

/** Does everything before the swap. The records come last, so that they name two manifests only briefly. */
async function prepare(store: ObjectStore, options: ReplaceOptions): Promise<void> {
  const { uploadId, label, replaced, next, verify, signal } = options;
  const beside = manifestCopyKeyOf(uploadId, label, next.sha256);
  await putSegments(store, options);
  await store.put(beside, next.bytes, writing(next, signal));
  await verify(afterSwap(store, uploadId, beside));
  if (replaced !== undefined)
    await store.put(backupKeyOf(uploadId, label, replaced.sha256), replaced.bytes, writing(replaced, signal));
  await changeRecords(store, options, { replacementSha256: next.sha256 });
  await refuseUnsound(store, options);
}

const ownOf = ({ next }: ReplaceOptions): readonly EncodedSegment[] => next.segments?.own ?? [];

/** Puts the segments that the new manifest is the first to name, all or those with these keys. */
async function putSegments(store: ObjectStore, options: ReplaceOptions, only?: ReadonlySet<string>): Promise<void> {
  const { uploadId, signal } = options;
  const own = ownOf(options);
  const retention = own.length === 0 ? undefined : await lockOfReplaced(store, options);
  await forEachLimit(own, SEGMENTS_AT_ONCE, async ({ place: { key, sha256 }, bytes }) => {
    const full = uploadFolder(uploadId) + key;
    if (only?.has(full) === false) return;
    await store.put(full, bytes, { ...writing({ bytes, sha256 }, signal), retention });
  });
}

/** Checks, right before the manifest names them, that its new segments exist and are not marked: a sweep may be about to delete them. */
async function refuseUnsound(store: ObjectStore, options: ReplaceOptions): Promise<void> {
  const { uploadId, signal } = options;
  const own = ownOf(options);
  if (own.length === 0) return;
  const folder = uploadFolder(uploadId);
  const { sound } = await checkFolder(store, folder, signal);
  const wrong = own.find(({ place: { key, size } }) => sound.get(folder + key)?.sizeBytes !== size)?.place;
  if (wrong === undefined) return;
  const what = `the segment ${folder}${wrong.key} is not there with ${wrong.size} bytes, or a prune has marked it`;
  throw new ArchiverError('conflict', `${what}: ${manifestKeyOf(uploadId)} was not replaced`, {
    hint: 'it reads as before; run the same command again when nothing else works on it',
  });
}

/** Puts segments again that were swept while this process was suspended right before the swap. @throws integrity when they are gone again */
async function restoreLost(store: ObjectStore, options: ReplaceOptions): Promise<void> {
  const { uploadId, signal } = options;
  const own = ownOf(options);
  if (own.length === 0) return;
  const fresh = new Set(own.map(({ place: { key } }) => uploadFolder(uploadId) + key));
  const placed = { uploadId, chunks: own.map(({ place }) => place), fresh };
  const lost = new Set(await lostChunks(store, placed, signal));
  if (lost.size === 0) return;
  await putSegments(store, options, lost);
  const [missing] = await lostChunks(store, placed, signal);
  if (missing === undefined) return;
  throw integrityError(`upload ${uploadId} is not whole: its manifest names ${missing}, which is missing or marked`, {
    hint: `archiver repair ${uploadUrlOf(store.url, uploadId)}`,
  });
}

async function changeRecords(
  store: ObjectStore,
  { replaced, next, records, signal }: ReplaceOptions,
  change: RecordChange,
): Promise<void> {
  for (const record of records) {
    const expected = [record.record.manifestSha256, replaced?.sha256 ?? '', next.sha256];
    await changeRecord(store, record, change, { expected, signal });
  }
}

/** The lock for the new manifest: as long as that of the old one, which may be lost, or of the version record. */
export async function lockOfReplaced(
  store: ObjectStore,
  {
    uploadId,
    records,
    lockedAs = records[0],
    signal,
    now = Date.now,
  }: Pick<ReplaceOptions, 'uploadId' | 'records' | 'lockedAs' | 'signal' | 'now'>,
): Promise<Retention | undefined> {
  const lockOf = async (key: string) => (await store.head(key, signal))?.retention;
  const time = new Date(now());
  const [own, its] = await Promise.all([
    lockOf(manifestKeyOf(uploadId)),
    lockedAs === undefined ? undefined : lockOf(recordKey(lockedAs.place)),
  ]);
  const there = effectiveLock(own, undefined, time);
  if (lockedAs === undefined) return there;
  const recorded = effectiveLock(its, lockedAs.record.objectLock, time);
  return there !== undefined && (recorded === undefined || recorded.until < there.until) ? there : recorded;
}

async function swap(store: ObjectStore, options: ReplaceOptions, etag: string | undefined): Promise<void> {
  const { uploadId, next, signal } = options;
  const key = manifestKeyOf(uploadId);
  const retention = await lockOfReplaced(store, options);
  const put = { ...writing(next, signal), retention };
  const putting =
    etag === undefined
      ? store.put(key, next.bytes, { ...put, ifAbsent: true })
      : putIfUnchanged(store, key, next.bytes, { ...put, ifMatch: etag });
  const written = await putting.catch(async (error: unknown) => {
    if (!isArchiverError(error, 'conflict')) throw error;
    // Our own object, put by a request whose answer was lost, is no conflict.
    if ((await readCurrent(store, uploadId, signal))?.sha256 === next.sha256) return undefined;
    throw rivalError(uploadId, error);
  });
  if (written === undefined) return;
  const found = await readCurrent(store, uploadId, signal);
  if (found?.sha256 === next.sha256) return;
  if (found !== undefined && found.etag !== written.etag) throw rivalError(uploadId);
  throw integrityError(`the store returned other bytes for ${key} than were written`);
}

interface Found {
  readonly etag: string;
  /** Undefined for a fence: a sweep took the upload for abandoned, and then a version came that names it. */
  readonly sha256: string | undefined;
}

/** The object at the key of the manifest; undefined when there is none. */
async function readCurrent(store: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<Found | undefined> {
  try {
    const content = await openManifest(store, manifestKeyOf(uploadId), { signal });
    const sha256 = hash('sha256', await readAll(content, MAX_LOADED_BYTES), 'hex');
    return { etag: content.etag, sha256 };
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    const fence = error instanceof SweptUpload ? await store.head(manifestKeyOf(uploadId), signal) : undefined;
    return fence && { etag: fence.etag, sha256: undefined };
  }
}

const writing = ({ bytes, sha256 }: { readonly bytes: Uint8Array; readonly sha256: string }, signal: AbortSignal) => ({
  contentType: isSealed(bytes) ? 'application/octet-stream' : 'application/gzip',
  sha256,
  signal,
});

/** A reader of the store as it will be once the new manifest has replaced the old one. */
function afterSwap(store: ObjectStore, uploadId: UploadId, beside: string): ObjectReader {
  const key = manifestKeyOf(uploadId);
  const placed = (asked: string): string => (asked === key ? beside : asked);
  return {
    url: store.url,
    ...(store.keys === undefined ? {} : { keys: store.keys }),
    get: (asked, options) => store.get(placed(asked), options),
    head: (asked, signal) => store.head(placed(asked), signal),
    list: (options) => store.list(options),
  };
}

const rivalError = (uploadId: UploadId, cause?: unknown): ArchiverError =>
  new ArchiverError('conflict', `${manifestKeyOf(uploadId)} was changed meanwhile: something else works on it`, {
    cause,
    hint: 'it reads as before; run the same command again when the other one has ended',
  });

const lateError = (uploadId: UploadId): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${manifestKeyOf(uploadId)} was not replaced: more than an hour has passed since it was looked at`,
    { hint: 'it reads as before; run the same command again' },
  );
