// Follows a manifest back to the last full listing. An error in a chain is reported in one sentence that names both manifests concerned; no
// manifest is followed twice.
import { hash } from 'node:crypto';
import { ArchiverError, type ErrorCode, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { fetchManifest, type LoadedManifest, loadOpened, openStored } from '../../format/manifest/loaded-manifest.js';
import { loadPart } from '../../format/manifest/partial-manifest.js';
import type { SegmentSource } from '../../format/manifest/load-segments.js';
import type { PathRange } from '../../format/manifest/path-range.js';
import { namingRepair } from '../../format/manifest/repair-hint.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { assertExpected, type ExpectedDigests, expectedIn } from '../records/assert-expected.js';
import type { ManifestCache } from '../cache/manifest-cache.js';
import type { PreviousManifest } from '../../format/manifest/manifest-types.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

/** Limit for readers; writers stop at eight deltas. */
const MAX_LINKS = 16;

export interface LoadOptions extends Pick<SegmentSource, 'segments'> {
  readonly cache?: ManifestCache | undefined;
  /** Entries that are wanted; others may be left out where a manifest has an index. Undefined for all. */
  readonly ranges?: readonly PathRange[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Loads the manifest of an upload. `expected` are the digests that it may have, or that it replaces where its own record says so too.
 * @throws not-found, access-denied, integrity, unsupported
 */
export async function loadExpected(
  reader: ObjectReader,
  uploadId: UploadId,
  expected: ExpectedDigests,
  { cache, ranges, segments, signal }: LoadOptions,
): Promise<LoadedManifest> {
  throwIfCancelled(signal);
  const source = { reader, cache, ranges, segments, signal };
  for (const sha256 of expected) {
    const cached = await cache?.get(sha256);
    if (cached !== undefined) return await loadOpened(uploadId, cached, sha256, source);
  }
  // A manifest that something names but that does not exist is lost: a repair may find or rebuild it.
  const lost: readonly ErrorCode[] = expected.length === 0 ? [] : ['not-found'];
  const load = async (): Promise<LoadedManifest> => {
    const part = await partOf(reader, { uploadId, expected, ranges, segments, signal });
    if (part !== undefined) return part;
    const stored = await fetchManifest(reader, uploadId, signal);
    const sha256 = hash('sha256', stored, 'hex');
    const opened = await openStored(reader, uploadId, stored, signal);
    const loaded = await loadOpened(uploadId, opened, sha256, source);
    await assertExpected(reader, loaded, expected, signal);
    await cache?.put(sha256, opened);
    return loaded;
  };
  return await namingRepair(reader, uploadId, load, lost);
}

interface PartOptions extends Pick<LoadOptions, 'ranges' | 'segments' | 'signal'> {
  readonly uploadId: UploadId;
  readonly expected: ExpectedDigests;
}

/** What the manifest has in `ranges`, where it has an index that was named; undefined where all of it is to be read. @throws as `loadPart` */
export async function partOf(
  reader: ObjectReader,
  { uploadId, expected, ranges, segments, signal }: PartOptions,
): Promise<LoadedManifest | undefined> {
  const [sha256] = expected;
  const { index } = expected;
  if (ranges === undefined || index === undefined || sha256 === undefined) return undefined;
  return await loadPart(reader, { uploadId, index, sha256, ranges, segments, signal });
}

export interface LoadChainOptions extends LoadOptions {
  /** What `newest` builds on, if loading it has begun. */
  readonly ahead?: Promise<LoadedManifest> | undefined;
  /** True for a manifest at which the chain ends before it is loaded: the caller reads it. */
  readonly stopsAt?: ((uploadId: UploadId) => boolean) | undefined;
}

/** Loads the chain that ends in `newest`; newest first. @throws integrity when it is broken, and what loading throws */
export async function loadChain(
  reader: ObjectReader,
  newest: LoadedManifest,
  { stopsAt, ahead, ...options }: LoadChainOptions,
): Promise<readonly LoadedManifest[]> {
  const { datasetId } = newest.head;
  const chain = [newest];
  for (let link = newest; link.head.previous !== undefined;) {
    const { previous } = link.head;
    const { uploadId } = previous;
    if (chain.some((known) => known.uploadId === uploadId))
      throw integrityError(
        `the manifest ${link.key} builds on ${manifestKeyOf(uploadId)}, which builds on it: a cycle`,
      );
    if (chain.length > MAX_LINKS)
      throw integrityError(`the manifest ${newest.key} builds on more than ${MAX_LINKS} others`);
    if (stopsAt?.(uploadId) === true) break;
    const begun = link === newest ? ahead : undefined;
    const before = await (begun ?? loadPrevious(reader, { key: link.key, datasetId, previous }, options));
    if (before.head.datasetId !== datasetId) {
      throw integrityError(
        `the manifest ${link.key} of dataset ${printable(datasetId)} builds on ${before.key} of dataset ${printable(before.head.datasetId)}`,
      );
    }
    chain.push(before);
    link = before;
  }
  return chain;
}

export interface Link {
  readonly key: string;
  readonly datasetId: string;
  readonly previous: PreviousManifest;
}

/** Loads what a manifest builds on. @throws integrity when it is missing, and what loading throws */
export async function loadPrevious(
  reader: ObjectReader,
  { key, datasetId, previous: { uploadId, sha256, index } }: Link,
  options: LoadOptions,
): Promise<LoadedManifest> {
  try {
    return await loadExpected(reader, uploadId, expectedIn(datasetId, [sha256], index), options);
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    const isMissing = error.code === 'not-found';
    const reason = isMissing ? `${reader.url} has no ${manifestKeyOf(uploadId)}` : error.message;
    // A missing ancestor is damage; `not-found` would say that there is no such upload.
    throw new ArchiverError(isMissing ? 'integrity' : error.code, `the manifest ${key} builds on another: ${reason}`, {
      cause: error,
      hint: error.hint,
    });
  }
}
