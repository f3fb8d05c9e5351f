// Gathers, while a source is being listed, rows that become a chunk whatever is still to come, so that they can be packed meanwhile. Rows of
// which that is not sure wait until everything is listed: files with several names, large ones, and what may yet be left out.
import { type EntryTableBuilder, type EntryTableData, KIND } from '../../format/columns/entry-table.js';
import type { Stat } from '../../platform/libc/stat.js';
import type { DvcPlace } from './dvc-folders.js';
import { tarBytes } from '../../format/tar/tar-block.js';

/** What is known of the plan before the source is listed. */
export interface AheadSizes {
  /** Most bytes of tar stream in a chunk. */
  readonly chunkBytes: number;
  /** Bytes of tar stream from which on a chunk is that large, however much more is found. */
  readonly settledBytes: number;
  /** Most chunks. */
  readonly most: number;
}

/** The rows of a chunk. */
export interface ChunkAhead {
  /** Positions in the table, ascending. */
  readonly entries: Uint32Array;
  /** Planned bytes of the tar stream. */
  readonly rawBytes: number;
  /** Planned source bytes. */
  readonly bytes: number;
}

export interface Ahead {
  readonly sizes: AheadSizes;
  /** Receives chunks, and the table with their rows. */
  readonly onChunk: (chunk: ChunkAhead, table: EntryTableData) => void;
}

export class RowsAhead {
  private readonly entries: number[] = [];
  private rawBytes = 0;
  private bytes = 0;
  private made = 0;
  /** Chunks that are made when enough is found. */
  private readonly waiting: ChunkAhead[] = [];
  private foundBytes = 0;

  constructor(
    private readonly table: EntryTableBuilder,
    /** Stat of the row that is added. */
    private readonly stat: Stat,
    private readonly ahead: Ahead,
  ) {}

  /** Adds the row that was found last, below a folder that is this to DVC. `isOpen`: it may yet be left out. */
  add(index: number, place: DvcPlace, isOpen: boolean): void {
    const { chunkBytes, most } = this.ahead.sizes;
    // Contents of a cache mean other checksums for all files.
    if (place === 'cache') this.made = most;
    if (this.made === most && this.waiting.length === 0) return;
    const { kind, size, allocated } = this.table.columns;
    const bytes = size[index] ?? 0;
    const dataBytes = Math.min(bytes, allocated[index] ?? 0);
    const rawBytes = tarBytes(dataBytes);
    this.foundBytes += rawBytes;
    this.hand();
    if (this.made === most) return;
    const hasNames = kind[index] !== KIND.directory && this.stat.nlink > 1;
    if (isOpen || place !== undefined || hasNames || dataBytes > chunkBytes) return;
    if (this.entries.length > 0 && this.rawBytes + rawBytes > chunkBytes) this.close();
    this.entries.push(index);
    this.rawBytes += rawBytes;
    this.bytes += bytes;
  }

  private close(): void {
    const { rawBytes, bytes } = this;
    this.waiting.push({ entries: Uint32Array.from(this.entries.splice(0)), rawBytes, bytes });
    this.made++;
    [this.rawBytes, this.bytes] = [0, 0];
    this.hand();
  }

  /** Hands over what waits, once enough is found. */
  private hand(): void {
    if (this.waiting.length === 0 || this.foundBytes < this.ahead.sizes.settledBytes) return;
    // Memory that has moved once, since it cannot grow where it is, will move again.
    if (this.table.hasMoved) return;
    const table = this.table.finish();
    for (const chunk of this.waiting.splice(0)) this.ahead.onChunk(chunk, table);
  }
}
