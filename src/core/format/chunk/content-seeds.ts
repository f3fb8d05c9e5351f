// Seeds of the XXH64s of contents: each is that of the upload in whose folder the content lies.
import { chunkKey } from '../manifest/manifest-check.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import { splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';
import { seedOf } from './seeded-hash.js';

/** Returns a function that gives the seed of what lies in a chunk, by its position; undefined for a key that is in no folder of an upload. */
export function seedsOf(
  uploadId: UploadId,
  chunks: readonly Pick<ChunkRecord, 'key'>[],
): (chunk: number) => bigint | undefined {
  const seeds = new Map<UploadId, bigint>();
  return (chunk) => {
    const key = chunkKey(uploadId, chunks[chunk]?.key ?? '');
    const folder = key === undefined ? undefined : splitUploadKey(key)?.uploadId;
    if (folder === undefined) return undefined;
    const seed = seeds.get(folder) ?? seedOf(folder);
    seeds.set(folder, seed);
    return seed;
  };
}
