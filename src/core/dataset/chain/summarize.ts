// Adds up a view: the totals that a manifest listing it states.
import { useTables } from '../../format/manifest/direct-record.js';
import type { ChunkRecord, Entry, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { EntrySums } from './entry-sums.js';
import { batchesOf, type EntryBatch, type ForeignSink, type MergedView } from './merged-view.js';
import { isRows } from '../../format/rows/row-lines.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { KIND } from '../../format/columns/entry-table.js';
import { writtenRows } from '../../format/rows/row-text.js';
import type { WrittenEntry } from '../../format/manifest/compose-manifest.js';
import { ShardSums } from './shard-sums.js';

export interface Summary {
  /** `chunks` and `storedBytes` count only chunks that an entry refers to. `skipped` is 0: a view does not know what was left out. */
  readonly totals: Totals;
  /** Shards of the chunks that entries refer to; a cut file counts in the shard of its last part. */
  readonly shards: readonly ShardRecord[];
  /** The shards of all these chunks. */
  readonly shardsOf: (chunks: readonly ChunkRecord[]) => readonly ShardRecord[];
  /** 1 for each chunk that an entry refers to, or whose table of contents lists a direct file that an entry refers to. */
  readonly used: Uint8Array;
}

/** Goes through the view once. @throws what its entries throw */
export const summarize = async (view: MergedView, onForeign?: ForeignSink): Promise<Summary> =>
  await summarizeBatches(view.chunks, batchesOf(view, onForeign));

/** The same of entries with positions in `chunks`. @throws what they throw */
export async function summarizeBatches(
  chunks: readonly ChunkRecord[],
  batches: AsyncIterable<EntryBatch>,
): Promise<Summary> {
  const sums = new Sums(chunks);
  for await (const batch of batches) sums.addBatch(batch);
  return sums.finish();
}

/** Adds a view up while its entries are written somewhere else: `finish` once they have passed, which they do once. */
export function summarized(view: MergedView): {
  readonly entries: () => AsyncIterable<readonly (WrittenEntry | Entry)[]>;
  readonly finish: () => Summary;
} {
  const sums = new Sums(view.chunks);
  return {
    async *entries() {
      for await (const batch of batchesOf(view)) {
        sums.addBatch(batch);
        yield isRows(batch) ? writtenRows(batch) : batch;
      }
    },
    finish: () => sums.finish(),
  };
}

class Sums {
  private readonly used: Uint8Array;
  private readonly shards = new ShardSums();
  private readonly sums = new EntrySums();

  constructor(private readonly chunks: readonly ChunkRecord[]) {
    this.used = new Uint8Array(chunks.length);
  }

  addBatch(batch: EntryBatch): void {
    if (isRows(batch)) this.addRows(batch);
    else for (const entry of batch) this.add(entry);
  }

  private add(entry: Entry): void {
    const { type, size, chunk, segments } = entry;
    this.sums.add(entry);
    if (chunk !== undefined) this.use(chunk);
    if (segments !== undefined) for (const part of segments) this.use(part.chunk);
    if (type !== 'directory') this.shards.add(this.chunks[chunk ?? segments?.at(-1)?.chunk ?? -1]?.shard, size);
  }

  /** Adds rows: each that has content, and some that have none, in the shard of its chunk. */
  private addRows(batch: RowBatch): void {
    const { count, kind, chunk, size } = batch;
    this.sums.addFiles(batch);
    for (let row = 0; row < count; row++) {
      const position = chunk[row] ?? -1;
      if (position < 0) continue;
      this.use(position);
      if (kind[row] === KIND.file) this.shards.add(this.chunks[position]?.shard, size[row] ?? 0);
    }
  }

  private use(chunk: number): void {
    if (chunk < this.used.length) this.used[chunk] = 1;
  }

  finish(): Summary {
    const { used } = this;
    useTables(this.chunks, used);
    const held = this.chunks.filter((_, position) => used[position] === 1);
    const storedBytes = held.reduce((sum, { size }) => sum + size, 0);
    return {
      totals: { ...this.sums.totals, storedBytes, chunks: held.length, skipped: 0 },
      shards: this.shards.of(held),
      shardsOf: (chunks) => this.shards.of(chunks),
      used,
    };
  }
}
