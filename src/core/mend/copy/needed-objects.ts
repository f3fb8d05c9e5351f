// What a version needs, as the store that it is copied from has it: the manifests of its chain with their copies and segments, and every
// chunk that one of them lists. A manifest that the other store has as one of its own versions ends the chain: what that needs is its own
// matter there. What is named and not listed with its size is in the way only where the other store has not got it either.
import { loadChain, loadExpected } from '../../dataset/chain/load-chain.js';
import { digestsOf } from '../../dataset/chain/version-view.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { versionName } from '../../dataset/records/version-name.js';
import type { ChunkRecord, PreviousManifest, VersionRecord } from '../../format/manifest/manifest-types.js';
import { keyOf } from '../../format/manifest/load-segments.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { manifestKeys } from '../../format/manifest/manifest-copy.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { folderOfKey, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';

export interface NeededObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** Of the whole object. */
  readonly sha256: string;
  /** `listing`: a manifest, a copy of one, or a segment. */
  readonly kind: 'chunk' | 'file' | 'listing';
  /** As the store that it is read from names it. */
  readonly storageClass: string;
  /** Why it cannot be read from there: it is not listed, or with another size. */
  readonly trouble?: ArchiverError;
}

/** A store that is read during one run: a folder is listed, and a manifest read, once. */
export interface SourceStore {
  readonly reader: ObjectReader;
  readonly cache: ManifestCache;
  readonly folders: Map<string, Promise<ReadonlyMap<string, ObjectInfo>>>;
}

export interface NeedOptions {
  /** True for an upload of which the other store has a version: the chain ends there. */
  readonly isThere: (uploadId: UploadId) => boolean;
  /** Looks at the manifest there at which the chain ends. */
  readonly assertBase?: ((base: PreviousManifest) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** Objects that the version needs, in the order in which they may be put. @throws integrity, conflict for a chain that cannot be copied; what reading throws */
export async function neededObjects(
  source: SourceStore,
  record: VersionRecord,
  { isThere, assertBase, signal }: NeedOptions,
): Promise<readonly NeededObject[]> {
  const { reader, cache } = source;
  const loading = { cache, segments: 'beginnings', signal } as const;
  const newest = await loadExpected(reader, record.uploadId, digestsOf(record), loading);
  const chain = await loadChain(reader, newest, { ...loading, stopsAt: isThere });
  refuseReplaced(reader, record, chain);
  const base = chain.at(-1)?.head.previous;
  if (base !== undefined) await assertBase?.(base);
  const needs = new Map<string, NeededObject>();
  // Oldest first, chunks before what names them: what is there of an interrupted copy never names what is not.
  for (const link of chain.toReversed())
    for (const need of await needsOf(source, link, signal)) if (!needs.has(need.key)) needs.set(need.key, need);
  return [...needs.values()];
}

/**
 * Refuses a chain with a manifest that another has replaced: only the record of its version says so, which the other store does not have.
 * @throws conflict naming the upload whose version has to be copied as well
 */
function refuseReplaced(reader: ObjectReader, record: VersionRecord, chain: readonly LoadedManifest[]): void {
  for (const [at, link] of chain.entries()) {
    const named = chain[at - 1]?.head.previous?.sha256;
    if (named === undefined || named === link.sha256) continue;
    throw new ArchiverError(
      'conflict',
      `${versionName(record)} of ${printable(record.datasetId)} builds on upload ${link.uploadId}, whose manifest was replaced (prune, balance or repair), which only the record of its version says`,
      { hint: `copy the version of ${printable(uploadUrlOf(reader.url, link.uploadId))} as well, in the same call` },
    );
  }
}

async function needsOf(
  source: SourceStore,
  link: LoadedManifest,
  signal: AbortSignal,
): Promise<readonly NeededObject[]> {
  const { uploadId, head, sha256 } = link;
  const chunks = head.chunks.map((chunk) => ({ ...placeOf(uploadId, chunk), kind: kindOf(chunk) }));
  const segments = (head.segments ?? []).map((place) => ({
    key: keyOf(uploadId, place),
    sizeBytes: place.size,
    sha256: place.sha256,
    kind: 'listing' as const,
  }));
  const named: NeededObject[] = [];
  for (const place of [...chunks, ...segments]) {
    const found = await find(source, place.key, signal);
    const isSame = found?.sizeBytes === place.sizeBytes;
    const trouble = isSame ? {} : { trouble: notWhole(source, link, place, found) };
    named.push({ ...place, storageClass: found?.storageClass ?? '', ...trouble });
  }
  const [manifest = link.key, ...copies] = manifestKeys(link);
  for (const key of [...copies, manifest]) {
    const found = await find(source, key, signal);
    if (found === undefined && key !== manifest) continue; // a copy that nothing has made
    if (found === undefined) throw notWhole(source, link, { key, sizeBytes: 0 }, found); // gone since it was read
    named.push({ key, sizeBytes: found.sizeBytes, sha256, kind: 'listing', storageClass: found.storageClass });
  }
  return named;
}

const kindOf = ({ content }: ChunkRecord): NeededObject['kind'] => (content === undefined ? 'chunk' : 'file');

function placeOf(uploadId: UploadId, chunk: ChunkRecord): Pick<NeededObject, 'key' | 'sizeBytes' | 'sha256'> {
  const key = chunkKey(uploadId, chunk.key);
  if (key !== undefined) return { key, sizeBytes: chunk.size, sha256: chunk.sha256 };
  throw integrityError(
    `the manifest of ${uploadId} refers to '${printable(chunk.key)}', which is not a valid place for a chunk`,
  );
}

async function find(source: SourceStore, key: string, signal: AbortSignal): Promise<ObjectInfo | undefined> {
  const folder = folderOfKey(key);
  const listed = source.folders.get(folder) ?? listFolder(source.reader, folder, signal);
  source.folders.set(folder, listed);
  return (await listed).get(key);
}

async function listFolder(
  reader: ObjectReader,
  prefix: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ObjectInfo>> {
  const objects = new Map<string, ObjectInfo>();
  for await (const page of reader.list({ prefix, signal })) for (const one of page.objects) objects.set(one.key, one);
  return objects;
}

function notWhole(
  { reader }: SourceStore,
  { uploadId }: LoadedManifest,
  { key, sizeBytes }: Pick<NeededObject, 'key' | 'sizeBytes'>,
  found: ObjectInfo | undefined,
): ArchiverError {
  const what = found === undefined ? 'is not there' : `has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
  return integrityError(
    `${printable(reader.url)}/${printable(key)}, which the manifest of ${uploadId} names, ${what}`,
    {
      hint: `archiver verify ${printable(uploadUrlOf(reader.url, uploadId))}`,
    },
  );
}
