// Puts the manifest of moved chunks in its place. Commit protocol, rule 5: written beside and verified entry by entry as if
// it were in place, the records made to name both digests, the old bytes put aside, the swap read back, the records with
// the new digest alone. Each step may be the last one of a killed process: readers find the old or the new layout whole.
import { hash } from 'node:crypto';
import { changeRecord } from '../dataset/change-record.js';
import { assertSameView } from '../dataset/prune/same-view.js';
import type { ParsedRecord } from '../dataset/version-record-parse.js';
import { openView, type View } from '../dataset/view.js';
import { ArchiverError, integrityError, isArchiverError } from '../errors.js';
import { fetchManifest } from '../manifest/loaded-manifest.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import type { EncodedManifest } from '../manifest/manifest-writer.js';
import { manifestKeyOf } from '../manifest/open-manifest.js';
import type { ObjectReader, ObjectStore } from '../object-store/object-store.js';

/** Where the new manifest lies until it has taken its place. */
export const besideKeyOf = (uploadId: string): string => `${manifestKeyOf(uploadId)}.balance`;
/** Where the old manifest lies until the balance is done. */
export const backupKeyOf = (uploadId: string): string => `${manifestKeyOf(uploadId)}.pre-balance.bak`;

const GZIP = 'application/gzip';

export interface SwapMovedOptions {
  readonly uploadId: string;
  /** As it is now. */
  readonly view: View;
  /** Chunks of `view`, where they lie in the new layout. */
  readonly moved: readonly ChunkRecord[];
  readonly next: EncodedManifest;
  /** Version records that name the upload. */
  readonly records: readonly ParsedRecord[];
  readonly signal: AbortSignal;
}

/** @throws conflict when somebody else changes the upload, integrity, what the store throws */
export async function swapMoved(store: ObjectStore, options: SwapMovedOptions): Promise<void> {
  const { uploadId, view, next, records, signal } = options;
  const [newest] = view.chain;
  if (newest === undefined) throw new RangeError('a view has at least one manifest');
  const key = manifestKeyOf(uploadId);
  await writeOnce(store, besideKeyOf(uploadId), next, signal);
  await verifyBeside(store, options);
  await refuseRival(store, uploadId, newest.sha256, signal);
  for (const record of records) {
    const expected = [record.record.manifestSha256];
    await changeRecord(store, record, { replacementSha256: next.sha256 }, { expected, signal });
  }
  await writeOnce(store, backupKeyOf(uploadId), newest, signal);
  await refuseRival(store, uploadId, newest.sha256, signal);
  await store.put(key, next.bytes, { contentType: GZIP, sha256: next.sha256, signal });
  if (hash('sha256', await fetchManifest(store, uploadId, signal), 'hex') !== next.sha256)
    throw integrityError(`the store gives ${key} back differently from how it was written`);
  for (const record of records) {
    const expected = [record.record.manifestSha256];
    await changeRecord(store, record, { manifestSha256: next.sha256 }, { expected, signal });
  }
}

/** Nothing of an earlier balance lies there any more, so that what does is a rival's. */
async function writeOnce(
  store: ObjectStore,
  key: string,
  { bytes, sha256 }: EncodedManifest,
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.put(key, bytes, { contentType: GZIP, sha256, ifAbsent: true, signal });
  } catch (error) {
    throw isArchiverError(error, 'conflict') ? rivalError(`${key} appeared`, error) : error;
  }
}

async function refuseRival(store: ObjectStore, uploadId: string, sha256: string, signal: AbortSignal): Promise<void> {
  if (hash('sha256', await fetchManifest(store, uploadId, signal), 'hex') === sha256) return;
  throw rivalError(`${manifestKeyOf(uploadId)} was replaced`);
}

const rivalError = (what: string, cause?: unknown): ArchiverError =>
  new ArchiverError('conflict', `${what} while the upload was balanced: something else works on it`, {
    cause,
    hint: 'run the same command again when it has ended',
  });

async function verifyBeside(
  store: ObjectStore,
  { uploadId, view, moved, next, signal }: SwapMovedOptions,
): Promise<void> {
  const found = await openView(beside(store, uploadId), { uploadId, sha256: next.sha256, signal });
  const what = besideKeyOf(uploadId);
  if (JSON.stringify(found.totals) !== JSON.stringify(view.totals)) throw integrityError(`${what} has other totals`);
  const expected = { uploadId, chunks: moved, entries: () => view.entries() };
  await assertSameView(expected, { uploadId, chunks: found.chunks, entries: () => found.entries() }, what);
}

/** The store as it will be when the new manifest has taken its place. */
function beside(store: ObjectStore, uploadId: string): ObjectReader {
  const key = manifestKeyOf(uploadId);
  const placed = (asked: string): string => (asked === key ? besideKeyOf(uploadId) : asked);
  return {
    url: store.url,
    get: (asked, options) => store.get(placed(asked), options),
    head: (asked, signal) => store.head(placed(asked), signal),
    list: (options) => store.list(options),
  };
}
