// The one way in which a manifest is replaced: by compaction, balance and repair (commit protocol, rule 5; Protocol 2, rule
// 7). The new one is written beside and verified as if it were in place, the old bytes are put aside, the records name both
// digests, the swap happens only while the manifest is the one that was looked at, and the records name the new digest alone.
// Each step may be the last one of a killed process: readers find the old or the new one whole. Nothing is deleted. The names
// beside carry digests, so that nothing of another run is in the way; what lies there stays until a prune sweeps it.
import { hash } from 'node:crypto';
import { ArchiverError, integrityError, isArchiverError } from '../failures/errors.js';
import { isSealed } from '../keys/envelope.js';
import { MAX_LOADED_BYTES } from '../manifest/loaded-manifest.js';
import type { EncodedManifest } from '../manifest/manifest-writer.js';
import { manifestKeyOf, openManifest } from '../manifest/open-manifest.js';
import type { ObjectReader, ObjectStore } from '../object-store/object-store.js';
import { readAll } from '../object-store/read-content.js';
import { throwIfCancelled } from '../object-store/store-error.js';
import { changeRecord, type RecordChange } from './records/change-record.js';
import { isLookOld } from './folder-look.js';
import type { ParsedRecord } from './records/version-record-parse.js';

export interface ReplaceOptions {
  readonly uploadId: string;
  /** For the names beside. */
  readonly label: 'compact' | 'balance' | 'repair';
  /** What is there now, as it is stored; undefined where there is none. */
  readonly replaced: { readonly bytes: Uint8Array; readonly sha256: string } | undefined;
  readonly next: EncodedManifest;
  /** Version records that name the upload. */
  readonly records: readonly ParsedRecord[];
  /** What the records say when it is done, beside the digest. */
  readonly change?: Pick<RecordChange, 'listing' | 'totals'>;
  /** Throws when the manifest that lies beside is not what should take the place; gets the store as it will be. */
  readonly verify: (asItWillBe: ObjectReader) => Promise<void>;
  readonly signal: AbortSignal;
  /** Wall clock in milliseconds: the monotonic one stands still while a computer sleeps. */
  readonly now?: () => number;
}

const short = (sha256: string): string => sha256.slice(0, 8);

/** Where the new manifest lies until it has taken its place. Below the base. */
const besideKeyOf = (uploadId: string, label: ReplaceOptions['label'], sha256: string): string =>
  `${manifestKeyOf(uploadId)}.${label}-${short(sha256)}`;

/** Where a copy of the replaced manifest lies. Below the base. */
export const backupKeyOf = (uploadId: string, label: ReplaceOptions['label'], sha256: string): string =>
  `${manifestKeyOf(uploadId)}.${short(sha256)}.pre-${label}.bak`;

/**
 * Replaces the manifest of an upload. Returns the key of the copy of what was replaced.
 * @throws conflict, integrity, what the store throws; readers find the old or the new one at every moment
 */
export async function replaceManifest(store: ObjectStore, options: ReplaceOptions): Promise<string | undefined> {
  const { uploadId, label, replaced, next, change, signal, now = Date.now } = options;
  const startedMs = now();
  const before = await readThere(store, uploadId, signal);
  if (before?.sha256 !== next.sha256) {
    if (before?.sha256 !== replaced?.sha256) throw rivalError(uploadId);
    await prepare(store, options);
    throwIfCancelled(signal);
    if (isLookOld(startedMs, now())) throw lateError(uploadId);
    await swap(store, options, before?.etag);
  } // else somebody with the same bytes has put them there, and only the records are left to do
  await changeRecords(store, options, { ...change, manifestSha256: next.sha256 });
  return replaced && backupKeyOf(uploadId, label, replaced.sha256);
}

/** Everything before the swap; the records last, so that they name two manifests for a moment only. */
async function prepare(store: ObjectStore, options: ReplaceOptions): Promise<void> {
  const { uploadId, label, replaced, next, verify, signal } = options;
  const beside = besideKeyOf(uploadId, label, next.sha256);
  await store.put(beside, next.bytes, writing(next, signal));
  await verify(asItWillBe(store, uploadId, beside));
  if (replaced !== undefined)
    await store.put(backupKeyOf(uploadId, label, replaced.sha256), replaced.bytes, writing(replaced, signal));
  await changeRecords(store, options, { replacementSha256: next.sha256 });
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

async function swap(store: ObjectStore, options: ReplaceOptions, etag: string | undefined): Promise<void> {
  const { uploadId, next, signal } = options;
  const key = manifestKeyOf(uploadId);
  const condition = etag === undefined ? { ifAbsent: true } : { ifMatch: etag };
  const written = await store
    .put(key, next.bytes, { ...writing(next, signal), ...condition })
    .catch(async (error: unknown) => {
      if (!isArchiverError(error, 'conflict')) throw error;
      // Ours, from a request whose answer was lost, is no rival's.
      if ((await readThere(store, uploadId, signal))?.sha256 === next.sha256) return undefined;
      throw rivalError(uploadId, error);
    });
  if (written === undefined) return;
  const found = await readThere(store, uploadId, signal);
  if (found?.sha256 === next.sha256) return;
  if (found !== undefined && found.etag !== written.etag) throw rivalError(uploadId);
  throw integrityError(`the store gives ${key} back differently from how it was written`);
}

interface Found {
  readonly etag: string;
  readonly sha256: string;
}

/** The manifest that is there now; undefined where there is none. */
async function readThere(store: ObjectReader, uploadId: string, signal: AbortSignal): Promise<Found | undefined> {
  try {
    const content = await openManifest(store, manifestKeyOf(uploadId), signal);
    const sha256 = hash('sha256', await readAll(content, MAX_LOADED_BYTES), 'hex');
    return { etag: content.etag, sha256 };
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return undefined;
    throw error;
  }
}

const writing = ({ bytes, sha256 }: { readonly bytes: Uint8Array; readonly sha256: string }, signal: AbortSignal) => ({
  contentType: isSealed(bytes) ? 'application/octet-stream' : 'application/gzip',
  sha256,
  signal,
});

/** The store when the object beside has taken the manifest's place. */
function asItWillBe(store: ObjectStore, uploadId: string, beside: string): ObjectReader {
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

const rivalError = (uploadId: string, cause?: unknown): ArchiverError =>
  new ArchiverError('conflict', `${manifestKeyOf(uploadId)} was changed meanwhile: something else works on it`, {
    cause,
    hint: 'it reads as before; run the same command again when the other one has ended',
  });

const lateError = (uploadId: string): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${manifestKeyOf(uploadId)} was not replaced: more than an hour has passed since it was looked at`,
    { hint: 'it reads as before; run the same command again' },
  );
