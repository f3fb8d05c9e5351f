// Finds the objects that the versions of a store need, by full key: the manifests of each version's chain, and every chunk that one of them
// lists. Everything is fetched from the store and checked against record and chain, as a reader does. A version that cannot be read is an
// error: what it needs is not known.
import { ArchiverError, type ErrorCode, isArchiverError } from '../../platform/failures/errors.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { manifestKeys } from '../../format/manifest/manifest-copy.js';
import { MAX_KEPT_BYTES, sizeOf } from '../../format/manifest/load-segments.js';
import type {
  ChunkRecord,
  ManifestHead,
  SegmentPlace,
  Totals,
  VersionRecord,
} from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { compactView } from '../chain/compact-view.js';
import { loadChain, loadExpected } from '../chain/load-chain.js';
import type { ManifestCache } from '../cache/manifest-cache.js';
import { memoryCache } from '../cache/memory-cache.js';
import { summarize } from '../chain/summarize.js';
import { digestsOf } from '../chain/version-view.js';
import type { ReadTombstone } from '../records/versions.js';
import { viewOf } from '../chain/view.js';
import { refusal } from './base-state.js';
import { MANIFESTS_AT_ONCE, referredChunks, referredSegments } from './references.js';
import { versionNumber } from '../records/version-name.js';

const HELD_BYTES = 256 * 2 ** 20;
/** Errors of the manifest itself, as opposed to failures to reach it. */
const MANIFEST_ERRORS: readonly ErrorCode[] = ['not-found', 'integrity', 'unsupported', 'access-denied'];
/** Errors that mean that nobody can read the manifest. */
const UNREADABLE: readonly ErrorCode[] = ['not-found', 'integrity'];

/** A cache for one pass over all versions of a store. */
export const passCache = (): ManifestCache => memoryCache(HELD_BYTES);

export interface ChainOptions {
  readonly cache: ManifestCache;
  readonly signal: AbortSignal;
}

/** The manifests of a version's chain, newest first; of segments, only the chunks that they list are read. @throws a refusal when they cannot be read; what the store throws */
export async function chainOfVersion(
  reader: ObjectReader,
  record: VersionRecord,
  options: ChainOptions,
): Promise<readonly [LoadedManifest, ...LoadedManifest[]]> {
  return await orRefuse(reader, record, async () => {
    const loading = { ...options, segments: 'beginnings' } as const;
    const newest = await loadExpected(reader, record.uploadId, digestsOf(record), loading);
    const [, ...older] = await loadChain(reader, newest, loading);
    return [newest, ...older];
  });
}

/** The chunks that entries of a version refer to. @throws as `chainOfVersion` */
export async function shownChunks(
  reader: ObjectReader,
  record: VersionRecord,
  chain: readonly LoadedManifest[],
): Promise<readonly ChunkRecord[]> {
  return await orRefuse(reader, record, async () => {
    const view = viewOf(chain);
    const { used } = await summarize(view);
    return compactView(view, used).chunks;
  });
}

/**
 * Chunks with holes and equal files state more bytes than they store; a statement of more than this many times the stored size is not
 * believed.
 */
const MOST_PER_STORED = 32;

/**
 * Number of files and bytes in the view of a version. The entries of large segments are not read for this: their counts are stated with
 * digests, and whoever forges so many bytes can forge entries as well. @throws as `chainOfVersion`
 */
export async function shownContent(
  reader: ObjectReader,
  record: VersionRecord,
  options: ChainOptions,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const chain = await chainOfVersion(reader, record, options);
  return await orRefuse(reader, record, async () => {
    const [{ head }] = chain;
    const { files, bytes, storedBytes } =
      sizeOf(head.segments ?? []) > MAX_KEPT_BYTES ? countsOf(head) : (await summarize(viewOf(chain))).totals;
    return { files, bytes: Math.min(bytes, storedBytes * MOST_PER_STORED) };
  });
}

function countsOf({ segments = [], chunks }: ManifestHead): Pick<Totals, 'files' | 'bytes' | 'storedBytes'> {
  const sum = (of: (counts: SegmentPlace['counts']) => number): number =>
    segments.reduce((all, { counts }) => all + of(counts), 0);
  const storedBytes = chunks.reduce((all, { size }) => all + size, 0);
  return { files: sum(({ files }) => files), bytes: sum(({ bytes }) => bytes), storedBytes };
}

/** Runs `work`, which reads a version. @throws a refusal when it cannot be read; what the store throws */
export async function orRefuse<T>(reader: ObjectReader, record: VersionRecord, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isArchiverError(error, ...MANIFEST_ERRORS)) throw error;
    const about = `version ${versionNumber(record)} of dataset ${printable(record.datasetId)}`;
    const code = error.code === 'not-found' ? 'integrity' : error.code;
    const message = `${about} cannot be read: ${error.message}`;
    throw refusal(reader, new ArchiverError(code, message, { cause: error, hint: error.hint }));
  }
}

/** Adds a manifest of a chain with its copies and its segments, and the chunks that it lists. @throws integrity */
function addNeeds(keys: Set<string>, loaded: LoadedManifest): void {
  for (const key of manifestKeys(loaded)) keys.add(key);
  for (const { key } of referredSegments(loaded)) keys.add(key);
  for (const { key } of referredChunks(loaded.uploadId, loaded.head.chunks)) keys.add(key);
}

/** Adds the full keys of what a version needs, manifests and chunks. @throws as `chainOfVersion` */
export async function addNeedsOf(
  keys: Set<string>,
  reader: ObjectReader,
  record: VersionRecord,
  options: ChainOptions,
): Promise<void> {
  for (const loaded of await chainOfVersion(reader, record, options)) addNeeds(keys, loaded);
}

export interface NeedOptions {
  /** Called for each version that was read. */
  readonly onRead?: () => void;
  readonly cache?: ManifestCache;
  readonly signal: AbortSignal;
}

/** Full keys that any of these versions needs, manifests and chunks. @throws as `chainOfVersion` */
export async function neededKeys(
  reader: ObjectReader,
  records: readonly VersionRecord[],
  { onRead, cache = passCache(), signal }: NeedOptions,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const options = { cache, signal };
  await forEachLimit(records, MANIFESTS_AT_ONCE, async (record) => {
    await addNeedsOf(keys, reader, record, options);
    onRead?.();
  });
  return keys;
}

/**
 * Full keys needed by versions that were retired less than `graceMs` ago: restores of them that began earlier may still be reading, even
 * objects that an older mark names. Versions whose manifest is gone or damaged are left out, as nobody can read them; one that only this
 * caller may not decrypt is an error. @throws what the store throws
 */
export async function keysOfYoungRetired(
  reader: ObjectReader,
  tombstones: readonly ReadTombstone[],
  { now, graceMs, signal }: { readonly now: Date; readonly graceMs: number; readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  // Without a grace period it does not matter that a tombstone is a moment younger than the look.
  const isYoung = ({ listed }: ReadTombstone): boolean => now.getTime() - listed.lastModified.getTime() < graceMs;
  const young = graceMs === 0 ? [] : tombstones.filter(isYoung);
  const keys = new Set<string>();
  const options = { cache: passCache(), segments: 'beginnings', signal } as const;
  await forEachLimit(young, MANIFESTS_AT_ONCE, async ({ tombstone }) => {
    try {
      const newest = await loadExpected(reader, tombstone.uploadId, [], options);
      for (const loaded of await loadChain(reader, newest, options)) addNeeds(keys, loaded);
    } catch (error) {
      if (isArchiverError(error, 'access-denied', 'unsupported')) throw refusal(reader, error);
      if (!isArchiverError(error, ...UNREADABLE)) throw error;
    }
  });
  return keys;
}
