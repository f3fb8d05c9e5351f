// Finds a copy of the manifest so that it need not be rebuilt: bytes with a digest that the version record, or a version that builds on it,
// names, in this computer's cache or beside the manifest. They are put back unchanged. Where that is not possible (the cache keeps
// encrypted manifests decrypted, and a digest may be that of a predecessor with the same content), the same listing is written again and
// replaces the old digest.
import { hash } from 'node:crypto';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { viewOf } from '../../dataset/chain/view.js';
import { loadChain } from '../../dataset/chain/load-chain.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import {
  type LoadedManifest,
  loadAlone,
  MAX_LOADED_BYTES,
  openStored,
  withSegments,
} from '../../format/manifest/loaded-manifest.js';
import type { SegmentCache } from '../../format/manifest/load-segments.js';
import type { OpenedBytes } from '../../format/encryption/unseal-bytes.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { sameContent } from './same-content.js';

export interface ExactCopy {
  readonly loaded: LoadedManifest;
  /** The bytes to store; undefined when only the decrypted bytes are known. */
  readonly stored: Buffer | undefined;
  /** `cache`, or the key of the copy. */
  readonly from: string;
}

export interface ExactCopyOptions {
  readonly uploadId: UploadId;
  /** Digests to look for, by preference. */
  readonly digests: readonly string[];
  readonly beside: readonly ObjectInfo[];
  readonly cache: ManifestCache | undefined;
  /** Segments that are to be put back, which count as there; undefined to look for the manifest alone, whatever became of its segments. */
  readonly mending: SegmentCache | undefined;
  readonly signal: AbortSignal;
}

/** Bytes can have the digest without being a manifest. */
const notAManifest = undefinedOn('integrity');

/** Looks for a copy. @throws errors of the store and its keys */
export async function findExactCopy(
  reader: ObjectReader,
  { uploadId, digests, beside, cache, mending, signal }: ExactCopyOptions,
): Promise<ExactCopy | undefined> {
  const copies = await readBeside(reader, beside, digests, signal);
  const load = async (opened: OpenedBytes, sha256: string): Promise<LoadedManifest> => {
    const loaded = await loadAlone(uploadId, opened, sha256);
    return mending === undefined ? loaded : await withSegments(loaded, { reader, cache: mending, signal });
  };
  for (const sha256 of digests) {
    const copy = copies.get(sha256);
    if (copy !== undefined) {
      const opened = await openStored(reader, uploadId, copy.bytes, signal);
      const loaded = await load(opened, sha256).catch(notAManifest);
      if (loaded !== undefined) return { loaded, stored: copy.bytes, from: copy.key };
    }
    const cached = await cache?.get(sha256);
    const loaded = cached && (await load(cached, sha256).catch(notAManifest));
    if (cached === undefined || loaded === undefined) continue;
    return { loaded, stored: cached.sealedBy === undefined ? cached.bytes : undefined, from: 'cache' };
  }
  return undefined;
}

async function readBeside(
  reader: ObjectReader,
  beside: readonly ObjectInfo[],
  digests: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, { readonly key: string; readonly bytes: Buffer }>> {
  const copies = new Map<string, { readonly key: string; readonly bytes: Buffer }>();
  for (const { key } of beside) {
    const reading = reader.get(key, { signal }).then((content) => readAll(content, MAX_LOADED_BYTES));
    const bytes = await reading.catch(undefinedOn('not-found', 'integrity'));
    const sha256 = bytes && hash('sha256', bytes, 'hex');
    if (bytes && sha256 && digests.includes(sha256)) copies.set(sha256, { key, bytes });
  }
  return copies;
}

/** Tells whether readers would now get a view from it with the totals of `expected`. @throws errors of the store */
export async function opensAs(
  reader: ObjectReader,
  loaded: LoadedManifest,
  expected: Totals,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const view = viewOf(await loadChain(reader, loaded, { signal }));
    return sameContent((await summarize(view)).totals, expected);
  } catch (error) {
    if (isArchiverError(error, 'integrity')) return false;
    throw error;
  }
}
