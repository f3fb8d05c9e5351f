// Which objects the versions of a store need, by full key: the manifests of each version's chain, and every chunk that one
// of them lists. Everything is fetched anew and compared with what record and chain say of it, as a reader does. A version
// that cannot be read stops whoever asks: what it needs is not known.
import { ArchiverError, type ErrorCode, isArchiverError } from '../../failures/errors.js';
import type { OpenedBytes } from '../../keys/unseal-bytes.js';
import type { LoadedManifest } from '../../manifest/loaded-manifest.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../paths/raw-path.js';
import { atOnce } from '../../limits/at-once.js';
import { compactView } from '../chain/compact-view.js';
import { loadChain, loadExpected } from '../chain/load-chain.js';
import type { ManifestCache } from '../cache/manifest-cache.js';
import { summarize } from '../chain/summarize.js';
import { digestsOf } from '../chain/version-view.js';
import type { ReadTombstone } from '../records/versions.js';
import { viewOf } from '../chain/view.js';
import { refusal } from './base-state.js';
import { MANIFESTS_AT_ONCE, referredChunks, type ReferredChunk } from './references.js';

const HELD_BYTES = 256 * 2 ** 20;
/** Failures that say something of the manifest, and not of the way to it. */
const TELLING: readonly ErrorCode[] = ['not-found', 'integrity', 'unsupported', 'access-denied'];

/** Versions share their chains: for one look at all of them, what was read stays at hand as far as it is not large. */
export function memoryCache(): ManifestCache {
  const held = new Map<string, OpenedBytes>();
  let total = 0;
  return {
    get: async (sha256) => held.get(sha256),
    put: async (sha256, manifest) => {
      if (held.has(sha256) || total + manifest.bytes.byteLength > HELD_BYTES) return;
      total += manifest.bytes.byteLength;
      held.set(sha256, manifest);
    },
  };
}

export interface ChainOptions {
  readonly cache: ManifestCache;
  readonly signal: AbortSignal;
}

/** The manifests that a version is made of, newest first. @throws a refusal where they cannot be read; what the store throws */
export async function chainOfVersion(
  reader: ObjectReader,
  record: VersionRecord,
  options: ChainOptions,
): Promise<readonly [LoadedManifest, ...LoadedManifest[]]> {
  return await orRefuse(reader, record, async () => {
    const newest = await loadExpected(reader, record.uploadId, digestsOf(record), options);
    const [, ...older] = await loadChain(reader, newest, options);
    return [newest, ...older];
  });
}

/** The chunks that a version shows something of. @throws as `chainOfVersion` */
export async function shownChunks(
  reader: ObjectReader,
  record: VersionRecord,
  chain: readonly LoadedManifest[],
): Promise<readonly ReferredChunk[]> {
  return await orRefuse(reader, record, async () => {
    const view = viewOf(chain);
    const { used } = await summarize(view);
    return referredChunks(record.uploadId, compactView(view, used).chunks);
  });
}

async function orRefuse<T>(reader: ObjectReader, record: VersionRecord, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isArchiverError(error, ...TELLING)) throw error;
    const about = `version ${record.version} of dataset ${printable(record.datasetId)}`;
    const code = error.code === 'not-found' ? 'integrity' : error.code;
    const message = `${about} cannot be read: ${error.message}`;
    throw refusal(reader, new ArchiverError(code, message, { cause: error, hint: error.hint }));
  }
}

export interface NeedOptions {
  /** Called for each version that was read. */
  readonly onRead?: () => void;
  readonly signal: AbortSignal;
}

/** Full keys that any of these versions needs, manifests and chunks. @throws as `chainOfVersion` */
export async function neededKeys(
  reader: ObjectReader,
  records: readonly VersionRecord[],
  { onRead, signal }: NeedOptions,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const options = { cache: memoryCache(), signal };
  await atOnce(records, MANIFESTS_AT_ONCE, async (record) => {
    for (const { key, uploadId, head } of await chainOfVersion(reader, record, options)) {
      keys.add(key);
      for (const chunk of referredChunks(uploadId, head.chunks)) keys.add(chunk.key);
    }
    onRead?.();
  });
  return keys;
}

/**
 * Full keys that versions need which were retired less than `graceMs` ago: restores of them that began before may still be
 * reading, also what an older mark names. One whose manifest is gone or damaged cannot be read by anybody.
 * @throws what the store throws
 */
export async function keysOfYoungRetired(
  reader: ObjectReader,
  tombstones: readonly ReadTombstone[],
  { now, graceMs, signal }: { readonly now: Date; readonly graceMs: number; readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  // Without a grace a moment that a tombstone is younger than the look does not matter.
  const isYoung = ({ listed }: ReadTombstone): boolean => now.getTime() - listed.lastModified.getTime() < graceMs;
  const young = graceMs === 0 ? [] : tombstones.filter(isYoung);
  const keys = new Set<string>();
  const options = { cache: memoryCache(), signal };
  await atOnce(young, MANIFESTS_AT_ONCE, async ({ tombstone }) => {
    try {
      const newest = await loadExpected(reader, tombstone.uploadId, [], options);
      for (const { key, uploadId, head } of await loadChain(reader, newest, options)) {
        keys.add(key);
        for (const chunk of referredChunks(uploadId, head.chunks)) keys.add(chunk.key);
      }
    } catch (error) {
      if (!isArchiverError(error, ...TELLING)) throw error;
    }
  });
  return keys;
}
