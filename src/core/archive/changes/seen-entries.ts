// What a comparison has seen of the earlier version, in columns: as much of each entry as its totals need. With what is new on top of it
// they are those of the next version, for which the earlier one would have to be read once more.
import type { Level } from '../../dataset/chain/merged-view.js';
import type { View } from '../../dataset/chain/view.js';
import { type EntryTable, KIND } from '../../format/columns/entry-table.js';
import { ENTRY_TYPES } from '../../format/manifest/entry-line.js';
import type { Entry, Segment } from '../../format/manifest/manifest-types.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { bytesOf, type RawPath, rawFromBytes, TOP } from '../../platform/paths/raw-path.js';

/** Their paths are nowhere else: with more of them, the version is read again. */
const MAX_GONE = 100_000;
/** What a manifest says of itself may be anything: of more entries than these, 1 GB of columns, none are kept. */
const MAX_ENTRIES = 2 ** 26;
const BATCH = 1024;
const NONE = -1;
const SOME_TIME = { seconds: 0, nanos: 0 };

export class SeenEntries {
  private readonly kind: Uint8Array;
  private readonly size: Float64Array;
  private readonly chunk: Int32Array;
  /** The row of the table with the same path; `NONE` for one that is gone. */
  private readonly row: Int32Array;
  private readonly segments = new Map<number, readonly Segment[]>();
  private readonly gone: RawPath[] = [];
  private count = 0;
  private isComplete: boolean;

  constructor(
    private readonly view: Pick<View, 'head' | 'chunks' | 'totals'>,
    private readonly table: EntryTable,
  ) {
    const entries = view.totals.entries > MAX_ENTRIES ? 0 : view.totals.entries;
    this.isComplete = entries === view.totals.entries;
    this.kind = new Uint8Array(entries);
    this.size = new Float64Array(entries);
    this.chunk = new Int32Array(entries);
    this.row = new Int32Array(entries);
  }

  /** Takes the next entry in path order; `row` is that of its path. */
  add({ path, type, size, chunk, segments }: Entry, row: number | undefined): void {
    const at = this.count++;
    this.kind[at] = ENTRY_TYPES.indexOf(type);
    this.size[at] = size;
    this.chunk[at] = chunk ?? NONE;
    this.row[at] = row ?? NONE;
    if (segments !== undefined) this.segments.set(at, segments);
    if (row !== undefined) return;
    if (this.gone.length === MAX_GONE) this.isComplete = false;
    // A copy: a slice would keep all the text around it.
    else this.gone.push(rawFromBytes(bytesOf(path)));
  }

  /** The same of a row. */
  addRow({ kind, size, chunk }: RowBatch, of: number, row: number): void {
    const at = this.count++;
    this.kind[at] = kind[of] ?? KIND.file;
    this.size[at] = size[of] ?? 0;
    this.chunk[at] = chunk[of] ?? NONE;
    this.row[at] = row;
  }

  /** The entries as a level whose entries have nothing but what totals need; undefined where not all of them are known. */
  get level(): Level | undefined {
    const { view } = this;
    if (!this.isComplete || this.count !== view.totals.entries) return undefined;
    return { uploadId: view.head.uploadId, chunks: view.chunks, mentions: () => this.entries() };
  }

  private async *entries(): AsyncGenerator<readonly Entry[]> {
    let gone = 0;
    let batch: Entry[] = [];
    for (let at = 0; at < this.count; at++) {
      const row = this.row[at] ?? NONE;
      const path = row === NONE ? this.gone[gone++] : this.table.path(row);
      batch.push(this.entry(at, path ?? TOP));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  private entry(at: number, path: RawPath): Entry {
    const chunk = this.chunk[at] ?? NONE;
    const segments = this.segments.get(at);
    return {
      path,
      type: ENTRY_TYPES[this.kind[at] ?? KIND.file] ?? 'file',
      size: this.size[at] ?? 0,
      mtime: SOME_TIME,
      ctime: SOME_TIME,
      mode: 0,
      uid: 0,
      gid: 0,
      inode: TOP,
      ...(chunk === NONE ? {} : { chunk }),
      ...(segments === undefined ? {} : { segments }),
    };
  }
}
