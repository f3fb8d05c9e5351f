// Measures how the stored bytes of an upload are spread over its shards. Empty shards count: an upload of eight shards that fills only one
// is as uneven as can be.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';

export interface ShardLoad {
  readonly shard: number;
  readonly chunks: number;
  readonly storedBytes: number;
}

export interface ShardLoads {
  /** One load per shard, in shard order. */
  readonly shards: readonly ShardLoad[];
  readonly totalBytes: number;
  /** `totalBytes` divided by the number of shards. */
  readonly averageBytes: number;
  readonly largestBytes: number;
  /** `largestBytes` divided by `averageBytes`; 1 when nothing is stored. */
  readonly ratio: number;
}

/** Adds up the chunks of each shard. There are `shardCount` shards, or more when a chunk lies in a later one. */
export function shardLoads(chunks: readonly Pick<ChunkRecord, 'shard' | 'size'>[], shardCount: number): ShardLoads {
  const count = chunks.reduce((most, { shard }) => Math.max(most, shard + 1), Math.max(1, shardCount));
  const shards = Array.from({ length: count }, (_, shard) => ({ shard, chunks: 0, storedBytes: 0 }));
  for (const { shard, size } of chunks) {
    const load = shards[shard];
    if (load === undefined) continue;
    load.chunks++;
    load.storedBytes += size;
  }
  const totalBytes = shards.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  const largestBytes = shards.reduce((most, { storedBytes }) => Math.max(most, storedBytes), 0);
  const averageBytes = totalBytes / count;
  return { shards, totalBytes, averageBytes, largestBytes, ratio: totalBytes === 0 ? 1 : largestBytes / averageBytes };
}
