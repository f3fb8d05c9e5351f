// What the chunks of an upload hold by their own tables of contents, as a full listing: every chunk is in it, used or not.
import type { ChunkRecord, Entry, ShardRecord, Totals } from '../manifest/manifest-types.js';
import { summarize } from '../dataset/chain/summarize.js';
import { shardPrefix } from '../manifest/chunk-key.js';
import type { TableFolder } from './table-folder.js';

export interface OwnView {
  readonly chunks: readonly ChunkRecord[];
  /** `chunks` and `storedBytes` count every chunk, used or not: the manifest lists them all. `skipped` is 0. */
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  entries(): AsyncIterable<readonly Entry[]>;
}

/** Goes through the tables once. @throws integrity, unsupported */
export async function openOwnView({ level }: TableFolder): Promise<OwnView> {
  const { chunks } = level;
  const entries = (): AsyncIterable<readonly Entry[]> => level.entries();
  const summary = await summarize({ chunks, entries });
  const totals = {
    ...summary.totals,
    chunks: chunks.length,
    storedBytes: chunks.reduce((sum, { size }) => sum + size, 0),
  };
  return { chunks, totals, shards: shardsOf(chunks, summary.shards), entries };
}

/** One record a shard that holds a chunk; files and bytes are counted already. */
function shardsOf(chunks: readonly ChunkRecord[], counted: readonly ShardRecord[]): readonly ShardRecord[] {
  const shards = new Map<number, { chunks: number; storedBytes: number }>();
  for (const { shard, size } of chunks) {
    const { chunks: before, storedBytes } = shards.get(shard) ?? { chunks: 0, storedBytes: 0 };
    shards.set(shard, { chunks: before + 1, storedBytes: storedBytes + size });
  }
  return [...shards]
    .sort(([a], [b]) => a - b)
    .map(([shard, sums]) => {
      const { files = 0, bytes = 0 } = counted.find((record) => record.shard === shard) ?? {};
      return { shard, prefix: shardPrefix(shard), chunks: sums.chunks, files, bytes, storedBytes: sums.storedBytes };
    });
}
