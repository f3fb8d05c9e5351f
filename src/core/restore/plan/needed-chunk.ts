// The part of a chunk that a restore needs: the ranges that the cache does not hold. A chunk that is cached completely is not needed, so it
// is not requested from cold storage either.
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { FrameCache } from '../frame-cache.js';
import type { LaneChunk } from './lanes.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** A chunk that must be fetched from the store, at least partly. */
export interface NeededChunk {
  /** Key below the base. */
  readonly key: string;
  /** Stored bytes of the whole object. */
  readonly sizeBytes: number;
  /** Storage class by the manifest; a lifecycle rule may have moved the chunk since. */
  readonly storageClass: string;
  readonly fetchedBytes: number;
  readonly gets: number;
}

/** Returns what must be fetched of a chunk; undefined for nothing, and for a chunk whose key leads out of `uploads/`. */
export function neededChunk(
  { record, spans }: LaneChunk,
  uploadId: UploadId,
  cache: FrameCache | undefined,
): NeededChunk | undefined {
  const key = chunkKey(uploadId, record.key);
  // As in `SpanSource`, a cached frame is a span of its own.
  const remote = spans.filter(
    ({ first, last }) => first !== last || cache?.has(record.frames[first]?.sha256 ?? '') !== true,
  );
  if (key === undefined || remote.length === 0) return undefined;
  const fetchedBytes = remote.reduce((sum, { start, end }) => sum + end - start, 0);
  return { key, sizeBytes: record.size, storageClass: record.storageClass, fetchedBytes, gets: remote.length };
}

/** Returns the content that is to be read of these chunks. */
export const toFetch = (
  needed: readonly NeededChunk[],
): { readonly bytesFetched: number; readonly ranges: number } => ({
  bytesFetched: needed.reduce((sum, { fetchedBytes }) => sum + fetchedBytes, 0),
  ranges: needed.reduce((sum, { gets }) => sum + gets, 0),
});
