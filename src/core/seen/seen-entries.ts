// Names in a folder of an archive for the completion of shells, from a store in a folder of this computer, or from the manifests that this
// computer keeps. Of a large manifest with an index the blocks that may have the names are read; a large one without is not.
import { openHeadCache } from '../dataset/cache/head-cache.js';
import type { ManifestCache } from '../dataset/cache/manifest-cache.js';
import { digestsOf } from '../dataset/chain/version-view.js';
import { type ExpectedDigests, expectedIn } from '../dataset/records/assert-expected.js';
import { parseVersionSelector, resolveVersion } from '../dataset/records/version-selector.js';
import type { RawPath } from '../platform/paths/raw-path.js';
import type { Child } from '../restore/listing/listing.js';
import { LazyListing } from '../restore/listing/lazy-listing.js';
import { FileReader } from '../store/file/file-reader.js';
import type { UploadId } from '../store/ids/upload-id.js';
import type { ObjectReader } from '../store/object-store.js';
import { keptChain } from './kept-manifests.js';
import type { SeenPlace } from './seen-names.js';

/** Entries that are read for one answer: that takes a twentieth of a second. */
const MOST_READ = 1 << 13;
const SIZES = { small: MOST_READ, first: MOST_READ, page: MOST_READ, piece: MOST_READ, maxKept: 4 * MOST_READ };
/** Entries of a manifest without an index. */
const MOST_WHOLE = 50_000;
/** Names that are offered. */
const MOST_OFFERED = 1000;

/** An upload whose manifest can be read without asking a server. */
export interface ReadableUpload {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  readonly sha256?: ExpectedDigests;
  readonly cache?: ManifestCache;
}

/** Reads a folder as the store at this URL, without what a run needs of a store. */
export function readerOfFolder(url: string, folder: string): ObjectReader {
  const files = new FileReader(folder);
  return {
    url,
    get: async (key, options) => await files.get(key, options),
    head: async (key) => await files.head(key),
    list: (options) => files.list(options),
  };
}

/** The children of a folder that begin with `prefix`; the first of them, where there are many. @throws what reading throws */
export async function entriesBelow(
  { reader, ...upload }: ReadableUpload,
  [folder, prefix]: readonly [folder: RawPath, prefix: RawPath],
  signal: AbortSignal,
): Promise<readonly Child[]> {
  const lazy = await LazyListing.open(reader, { ...upload, signal }, SIZES);
  await lazy.readNames(folder, prefix);
  const found: Child[] = [];
  for (const child of lazy.listing.children(folder, prefix)) if (found.push(child) >= MOST_OFFERED) break;
  return found;
}

/** A version of a dataset in a folder of this computer; undefined where reading it would take too long. @throws what reading throws */
export async function uploadInFolder(
  reader: ObjectReader,
  { datasetId, version = 'latest' }: { readonly datasetId: string; readonly version: string | undefined },
  signal: AbortSignal,
): Promise<ReadableUpload | undefined> {
  const record = await resolveVersion(reader, datasetId, parseVersionSelector(version), { signal });
  const { uploadId, manifestIndex, totals } = record;
  return manifestIndex === undefined && totals.entries > MOST_WHOLE
    ? undefined
    : { reader, uploadId, sha256: digestsOf(record) };
}

/** The version of a dataset that this computer made last, if it keeps all of its manifests. */
export async function keptUpload(
  folder: string,
  { url, server }: SeenPlace,
  datasetId: string,
): Promise<ReadableUpload | undefined> {
  const head = await openHeadCache(folder, () => undefined, server).get(url, datasetId);
  if (head === undefined) return undefined;
  const { uploadId, manifestSha256: sha256 } = head;
  const kept = await keptChain(folder, url, { uploadId, sha256 });
  if (kept === undefined) return undefined;
  const { reader, index, cache } = kept;
  // What is kept decrypted has another digest than what is stored; the cache has compared it.
  return cache === undefined
    ? { reader, uploadId, sha256: expectedIn(datasetId, [sha256], index) }
    : { reader, uploadId, cache };
}
