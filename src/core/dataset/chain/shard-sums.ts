// Adds up the content of shards, for the manifest that lists them.
import { shardPrefix } from '../../format/manifest/chunk-key.js';
import type { ChunkRecord, ShardRecord } from '../../format/manifest/manifest-types.js';

export class ShardSums {
  private readonly files = new Map<number, { files: number; bytes: number }>();

  /** Counts a file in the shard of its last part; a file without a shard is left out. */
  add(shard: number | undefined, bytes: number): void {
    if (shard === undefined) return;
    const sums = this.files.get(shard);
    if (sums === undefined) this.files.set(shard, { files: 1, bytes });
    else {
      sums.files++;
      sums.bytes += bytes;
    }
  }

  /** The shards that hold these chunks, lowest first. */
  of(chunks: readonly ChunkRecord[]): ShardRecord[] {
    const shards = new Map<number, { -readonly [K in keyof ShardRecord]: ShardRecord[K] }>();
    for (const { shard, size } of chunks) {
      const { files, bytes } = this.files.get(shard) ?? { files: 0, bytes: 0 };
      const none = { shard, prefix: shardPrefix(shard), chunks: 0, files, bytes, storedBytes: 0 };
      const record = shards.get(shard) ?? none;
      record.chunks++;
      record.storedBytes += size;
      shards.set(shard, record);
    }
    return [...shards.values()].sort((a, b) => a.shard - b.shard);
  }
}
