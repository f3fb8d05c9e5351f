// Loads the segments of a listing. Of each, the chunks that it lists are read at once, since positions in the view count over all of them; its
// entries are read when they are wanted, and compared with its digest before they are parsed.
import { hash } from 'node:crypto';
import { integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';
import { inflateBytes } from './inflate-manifest.js';
import { readBlocks } from './indexed-blocks.js';
import { chunkKey } from './manifest-check.js';
import { parseBeginning } from './manifest-index.js';
import { ManifestLines } from './manifest-lines.js';
import type { ChunkRecord, ManifestHead, ManifestIndex, SegmentPlace } from './manifest-types.js';
import { holding, inListing, type PathRange } from './path-range.js';
import { namingRepair } from './repair-hint.js';
import { parseSegmentHead, type SegmentHead } from './segment-head.js';
import { UnitedChunks } from './united-chunks.js';

/** Where segments are looked for before they are fetched. */
export interface SegmentCache {
  get(sha256: string): Promise<{ readonly bytes: Buffer } | undefined>;
  put(sha256: string, content: { readonly bytes: Buffer }): Promise<void>;
}

export interface SegmentSource {
  readonly reader: ObjectReader;
  readonly cache?: SegmentCache | undefined;
  /** Entries that are wanted; others may be left out. Undefined for all. */
  readonly ranges?: readonly PathRange[] | undefined;
  /** `beginnings`: entries are not read before they are wanted; `none`: no segment is looked at. */
  readonly segments?: 'beginnings' | 'none' | undefined;
  /** False for a segment that is left out, whatever `ranges` say. */
  readonly isWanted?: ((place: SegmentPlace) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A segment that is loaded, but for its entries. */
export interface LoadedSegment {
  readonly place: SegmentPlace;
  /** Key relative to the base. */
  readonly key: string;
  /** Positions of its chunks in those of the manifest. */
  readonly positions: Uint32Array;
  /** Set when entries that nobody asked for are left out. */
  readonly isPart: boolean;
  /** Its stored bytes, or those with the wanted entries. @throws integrity, what the store throws */
  read(): Promise<Buffer>;
}

export interface LoadedSegments {
  /** The chunks of all segments, with keys relative to the folder of the manifest. */
  readonly chunks: readonly ChunkRecord[];
  readonly segments: readonly LoadedSegment[];
}

const READS_AT_ONCE = 8;
const NO_POSITIONS = new Uint32Array(0);
/** Segments with fewer bytes together are kept in memory: some two million entries. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Nothing larger is written: a head of 256 MiB and a line of 64 MiB, gzipped, and some. */
export const MAX_SEGMENT_BYTES = 1024 * 1024 * 1024;

interface Opened {
  readonly head: SegmentHead;
  readonly bytes: Buffer | undefined;
  readonly isPart: boolean;
}

/** Loads the segments that `head` names. @throws integrity for one that is missing or not as named, unsupported, what the store throws */
export async function loadSegments(
  head: Pick<ManifestHead, 'uploadId' | 'segments' | 'chunks'>,
  source: SegmentSource,
): Promise<LoadedSegments> {
  const all = head.segments ?? [];
  const { isWanted = () => true } = source;
  const ranges = source.ranges && inListing(source.ranges);
  const places = (ranges === undefined ? all : holding(all, ranges)).filter(isWanted);
  const isKept = source.segments === undefined && sizeOf(places) <= MAX_KEPT_BYTES;
  const opened: (Opened | undefined)[] = places.map(() => undefined);
  await forEachLimit(places.entries(), READS_AT_ONCE, async ([position, place]) => {
    opened[position] = await openSegment(head.uploadId, place, { ...source, ranges, isKept });
  });
  const chunks = new UnitedChunks(head.uploadId);
  for (const record of head.chunks) chunks.add(head.uploadId, record, head.uploadId);
  const segments = places.map((place, position): LoadedSegment => {
    const { head: its, bytes, isPart } = opened[position] as Opened;
    const key = keyOf(head.uploadId, place);
    return {
      place,
      key,
      isPart,
      positions: Uint32Array.from(its.chunks, (record) => chunks.add(its.uploadId, record, key)),
      read: async () =>
        bytes ?? (await namingRepair(source.reader, head.uploadId, () => stored(head.uploadId, place, source))),
    };
  });
  return { chunks: chunks.list, segments };
}

/** Stored bytes of segments together. */
export const sizeOf = (places: readonly SegmentPlace[]): number => places.reduce((sum, { size }) => sum + size, 0);

/** Segments of which nothing is loaded, for entries that nobody asks where they lie: they refer to no chunk. */
export function unopenedSegments(head: ManifestHead, source: SegmentSource): readonly LoadedSegment[] {
  const { reader, signal } = source;
  const ranges = source.ranges && inListing(source.ranges);
  const { uploadId, segments = [] } = head;
  return (ranges === undefined ? segments : holding(segments, ranges)).map((place): LoadedSegment => {
    const { index } = place;
    const key = keyOf(uploadId, place);
    const part = async (): Promise<Buffer | undefined> =>
      index === undefined || ranges === undefined
        ? undefined
        : (await readBlocks(reader, { key, index, ranges, signal }))?.bytes;
    const read = async (): Promise<Buffer> => (await part()) ?? (await wholeSegment(key, place, source));
    return {
      place,
      key,
      isPart: ranges !== undefined,
      positions: NO_POSITIONS,
      read: () => orMissing(key, uploadId, read),
    };
  });
}

/** The key of a segment relative to the base. */
export const keyOf = (uploadId: UploadId, { key }: Pick<SegmentPlace, 'key'>): string =>
  chunkKey(uploadId, key) ?? `uploads//${key}`;

async function openSegment(
  uploadId: UploadId,
  place: SegmentPlace,
  source: SegmentSource & { readonly isKept: boolean },
): Promise<Opened> {
  const key = keyOf(uploadId, place);
  const { reader, cache, ranges, isKept, signal } = source;
  const cached = await cache?.get(place.sha256);
  const { index } = place;
  let bytes = cached?.bytes;
  let isPart = false;
  if (bytes === undefined && index !== undefined && ranges !== undefined) {
    bytes = (await orMissing(key, uploadId, () => readBlocks(reader, { key, index, ranges, signal })))?.bytes;
    isPart = bytes !== undefined;
  }
  if (bytes === undefined && index !== undefined && !isKept) {
    const beginning = await orMissing(key, uploadId, () => beginningOf(key, index, source));
    const { head } = parseBeginning(beginning, `the segment ${key}`);
    return { head: checked(await headIn(head, key), place, key), bytes: undefined, isPart };
  }
  bytes ??= await stored(uploadId, place, source);
  return { head: checked(await headIn(bytes, key), place, key), bytes: isKept || isPart ? bytes : undefined, isPart };
}

async function stored(uploadId: UploadId, place: SegmentPlace, source: SegmentSource): Promise<Buffer> {
  const key = keyOf(uploadId, place);
  return await orMissing(key, uploadId, () => wholeSegment(key, place, source));
}

function checked(head: SegmentHead, { counts }: SegmentPlace, key: string): SegmentHead {
  const { uploadId } = splitUploadKey(key) ?? {};
  if (head.uploadId !== uploadId) throw integrityError(`the segment ${key} says that it lies in another upload`);
  for (const [name, count] of Object.entries(counts) as [keyof typeof counts, number][])
    if (head.counts[name] !== count)
      throw integrityError(`the segment ${key} states ${head.counts[name]} ${name}, and its manifest ${count}`);
  return head;
}

/** The beginning of a segment, which is kept under its digest: versions have most segments in common. */
async function beginningOf(
  key: string,
  index: ManifestIndex,
  { reader, cache, signal }: SegmentSource,
): Promise<Buffer> {
  return await readOnce(cache, index.sha256, async () => {
    const content = await reader.get(key, { range: { start: 0, end: index.size }, signal });
    const bytes = await readAll(content, index.size);
    if (hash('sha256', bytes, 'hex') !== index.sha256) throw damaged(key);
    return bytes;
  });
}

async function wholeSegment(key: string, { size, sha256 }: SegmentPlace, source: SegmentSource): Promise<Buffer> {
  const { reader, cache, signal } = source;
  if (size > MAX_SEGMENT_BYTES)
    throw integrityError(`the segment ${key} has more than ${MAX_SEGMENT_BYTES} bytes: refused`);
  return await readOnce(cache, sha256, async () => {
    const bytes = await readAll(await reader.get(key, { signal }), size);
    if (bytes.length !== size || hash('sha256', bytes, 'hex') !== sha256) throw damaged(key);
    return bytes;
  });
}

/** What is being read for each cache, by digest: versions that are read at the same time have most segments in common. */
const reading = new WeakMap<SegmentCache, Map<string, Promise<Buffer>>>();

/** Bytes of this digest from the cache, or read and kept there. */
async function readOnce(cache: SegmentCache | undefined, sha256: string, read: () => Promise<Buffer>): Promise<Buffer> {
  if (cache === undefined) return await read();
  const begun = reading.get(cache) ?? new Map<string, Promise<Buffer>>();
  reading.set(cache, begun);
  const same = begun.get(sha256);
  if (same !== undefined) return await same;
  const work = (async () => {
    const cached = await cache.get(sha256);
    if (cached !== undefined) return cached.bytes;
    const bytes = await read();
    await cache.put(sha256, { bytes });
    return bytes;
  })();
  begun.set(sha256, work);
  try {
    return await work;
  } finally {
    begun.delete(sha256);
  }
}

const damaged = (key: string): Error =>
  integrityError(`the segment ${key} is not the one that its manifest names: its digest differs`);

/** A segment that a manifest names and that is not there is damage. */
async function orMissing<T>(key: string, uploadId: UploadId, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    throw integrityError(`the manifest of ${uploadId} names the segment ${key}, which is not in the store`, {
      cause: error,
    });
  }
}

/** The head of a segment that begins with these bytes. @throws integrity, unsupported */
export async function headIn(bytes: Buffer, key: string): Promise<SegmentHead> {
  const what = `the segment ${key}`;
  let text: string | undefined;
  const lines = new ManifestLines(what, { head: (head) => (text = head), lines: () => undefined });
  for await (const piece of inflateBytes(bytes, { what })) {
    lines.push(piece);
    if (text !== undefined) return parseSegmentHead(text, key);
  }
  throw integrityError(`${what} has no head`);
}
