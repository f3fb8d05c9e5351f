// Threads that pack, begun before it is known what there is to pack. Of what a source has first, chunks are packed while the rest is being
// listed. They stay in memory: nothing is sent before everything is listed and all that guards an upload was asked.
import { type EntryTable, type EntryTableData, STATUS } from '../../format/columns/entry-table.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import type { ChunkAhead } from '../scan/rows-ahead.js';
import { PackPool } from './pack-pool.js';
import type { PackSettings } from './pack-state.js';

/** A chunk that a thread packs already, or has packed. */
export interface BegunChunk {
  readonly task: ChunkTask;
  readonly thread: number;
  readonly packed: Promise<PackedChunk>;
}

export interface AheadOptions {
  readonly settings: PackSettings;
  /** Shards that chunks are dealt out to. */
  readonly shards: number;
  /** Bytes of an output buffer. */
  readonly outputBytes: number;
}

export class HeadStart {
  readonly pool: PackPool;
  private begun: readonly BegunChunk[] = [];
  private packing = 0;

  constructor(threads: number) {
    this.pool = new PackPool(threads);
  }

  /** Ends the threads; nobody wants chunks any more that are still being packed. */
  async close(): Promise<void> {
    if (this.packing > 0) this.pool.stop();
    await this.pool.close();
  }

  /** Begins to pack a chunk of rows that the table has. */
  begin({ entries, rawBytes, bytes }: ChunkAhead, table: EntryTableData, options: AheadOptions): void {
    const { settings, shards, outputBytes } = options;
    const chunk = this.begun.length;
    const thread = chunk % this.pool.size;
    const task = { chunk, shard: chunk % shards, storageClass: '', entries, rawBytes, bytes };
    this.pool.open(table, settings);
    const packed = this.pool.pack(thread, task, new SharedArrayBuffer(outputBytes));
    this.packing++;
    // Who takes the chunk over gets the error.
    void packed.catch(() => undefined).then(() => this.packing--);
    this.begun = [...this.begun, { task, thread, packed }];
  }

  /** Hands over the chunks, which are to be kept in this class. */
  take(storageClass: string): readonly BegunChunk[] {
    const { begun } = this;
    this.begun = [];
    return begun.map((one) => ({ ...one, task: { ...one.task, storageClass } }));
  }

  /** Gives up the chunks: their rows are to be packed as if they had not been. `table` has all rows. */
  async withdraw({ columns: { status, chunk } }: EntryTable): Promise<void> {
    const { begun } = this;
    this.begun = [];
    await Promise.allSettled(begun.map(({ packed }) => packed));
    this.pool.countAnew();
    for (const { task } of begun) {
      for (const index of task.entries) {
        status[index] = STATUS.pending;
        chunk[index] = -1;
      }
    }
  }
}
