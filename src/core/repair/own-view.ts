// What the chunks of an upload hold by their own tables of contents, as a view like any other.
import type { Entry, ChunkRecord, ShardRecord, Totals } from '../manifest/manifest-types.js';
import type { Level } from '../dataset/merge-levels.js';
import { summarize } from '../dataset/summarize.js';
import { shardPrefix } from '../archive/upload-ledger.js';
import type { CutFiles } from './cut-files.js';
import type { FoundChunk } from './fetch-tables.js';
import { MergedTables } from './merge-tables.js';
import type { ReadChunk } from './read-chunks.js';

/** Stands in for digests that nothing written contains: those of chunks that were not read through. */
const NOT_READ = '0'.repeat(64);

export interface OwnView {
  readonly chunks: readonly ChunkRecord[];
  /** `chunks` and `storedBytes` count every chunk, used or not: the manifest lists them all. `skipped` is 0. */
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  readonly hasChecksums: boolean;
  entries(): AsyncIterable<readonly Entry[]>;
  /** To be merged with older ones. */
  readonly level: Level;
}

/** `read` are the chunks' digests where they were read, in the order of `found`. */
export async function openOwnView(
  uploadId: string,
  found: readonly FoundChunk[],
  cut: CutFiles,
  read: readonly ReadChunk[] | undefined,
): Promise<OwnView> {
  const merged = new MergedTables(found, cut.segments);
  const entries = (): AsyncIterable<readonly Entry[]> => merged.entries();
  const chunks = found.map((chunk, position) => recordOf(chunk, read?.[position]?.sha256 ?? NOT_READ));
  let hasChecksums = false;
  const watched = async function* (): AsyncGenerator<readonly Entry[]> {
    for await (const batch of entries()) {
      hasChecksums ||= batch.some(({ md5 }) => md5 !== undefined);
      yield batch;
    }
  };
  const summary = await summarize({ chunks, entries: watched });
  const totals = {
    ...summary.totals,
    chunks: chunks.length,
    storedBytes: chunks.reduce((sum, { size }) => sum + size, 0),
  };
  const level = { uploadId, chunks, mentions: entries };
  return { chunks, totals, shards: shardsOf(chunks, summary.shards), hasChecksums, entries, level };
}

const recordOf = ({ key, size, storageClass, table, listedIn }: FoundChunk, sha256: string): ChunkRecord => ({
  chunk: table.chunk,
  key,
  shard: table.shard,
  size,
  rawSize: table.rawSize,
  entries: table.entries,
  level: table.level,
  storageClass,
  sha256,
  tocSize: table.tocSize,
  frames: table.frames,
  ...(listedIn === undefined ? {} : { content: 'file', listedIn }),
});

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
