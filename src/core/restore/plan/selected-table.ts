// The entries to restore or check, in columns of shared memory: about 100 bytes each plus the name. The main thread fills it from the
// manifest, workers read it and record the outcome of each entry; no message per file crosses a thread.
import { KIND } from '../../format/columns/entry-table.js';
import { growBuffer, growing, openRows, type Rows, RowsBuilder, type RowsData } from '../../format/columns/rows.js';
import type { Entry, EntryType, Segment } from '../../format/manifest/manifest-types.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { type RawPath, splitPath } from '../../platform/paths/raw-path.js';

/** The state of an entry. Everything starts as `waiting`; `written` is complete, but its MD5 is not compared yet; `elsewhere` is
 * a folder that another part of the restore makes. */
export const STATE = { waiting: 0, done: 1, failed: 2, unchanged: 3, skipped: 4, written: 5, elsewhere: 6 } as const;
const KINDS: readonly EntryType[] = ['file', 'directory', 'symlink', 'hardlink'];

const COLUMNS = {
  kind: Uint8Array,
  state: Uint8Array,
  hasMd5: Uint8Array,
  hasXxh64: Uint8Array,
  mode: Uint16Array,
  uid: Uint32Array,
  gid: Uint32Array,
  size: Float64Array,
  mtimeSeconds: Float64Array,
  mtimeNanos: Uint32Array,
  chunk: Int32Array,
  offset: Float64Array,
  pathEnd: Float64Array,
} as const;
/** Columns that rows have as they are here (KIND has their numbers as well). */
const COPIED = [
  'kind',
  'hasMd5',
  'hasXxh64',
  'mode',
  'uid',
  'gid',
  'size',
  'mtimeSeconds',
  'mtimeNanos',
  'chunk',
  'offset',
] as const;
const MD5_BYTES = 16;
const XXH64_BYTES = 8;

/** Parts that only few entries have. */
export interface Extra {
  readonly segments?: readonly Segment[];
  /** Holes, which are not stored, as offset and length. */
  readonly holes?: readonly (readonly [number, number])[];
  /** Holes of a cut file, which are stored as zeros. */
  readonly zeroRuns?: readonly (readonly [number, number])[];
  readonly target?: RawPath;
  /** Of a link, the DVC stage that it was recorded for. */
  readonly stage?: string;
  readonly linkGroup?: number;
  readonly xattrs?: ReadonlyMap<RawPath, Uint8Array>;
}

/** The data of a table, for passing it to another thread. */
export interface TableData extends RowsData<typeof COLUMNS> {
  readonly md5: SharedArrayBuffer;
  readonly xxh64: SharedArrayBuffer;
  /** For each chunk of the version, the seed of the XXH64s of contents in it, 0 for none; absent where contents are compared by their MD5. */
  readonly seeds?: SharedArrayBuffer;
}

/** The XXH64 that a content must have. */
export interface SeededDigest {
  readonly seed: bigint;
  readonly xxh64: bigint;
}

/** A view of a table in any thread. */
export interface SelectedTable extends Rows<typeof COLUMNS> {
  /** MD5 in hex, or undefined if the manifest has none. */
  md5(index: number): string | undefined;
  /** What to compare the content with instead of its MD5, where every frame that it comes from is compared with its SHA-256. */
  seeded(index: number, extra: Extra | undefined): SeededDigest | undefined;
  /** Whether the entry's MD5 is the 16 bytes at `at`. */
  hasDigest(index: number, digests: Uint8Array, at: number): boolean;
  type(index: number): EntryType;
}

/** Returns the path of an entry below the output folder. */
export const destinationOf = (table: SelectedTable, index: number, flatten: boolean): RawPath => {
  const path = table.path(index);
  return flatten ? splitPath(path)[1] : path;
};

export function openTable(data: TableData): SelectedTable {
  const rows = openRows(COLUMNS, data);
  const { columns } = rows;
  const md5 = Buffer.from(data.md5);
  const xxh64 = Buffer.from(data.xxh64);
  const seeds = data.seeds === undefined ? [] : new BigUint64Array(data.seeds);
  return {
    ...rows,
    md5: (index) =>
      columns.hasMd5[index] === 1 ? md5.toString('hex', index * MD5_BYTES, (index + 1) * MD5_BYTES) : undefined,
    seeded(index, extra) {
      if (columns.hasXxh64[index] !== 1) return undefined;
      // A cut file was hashed by who packed its last piece.
      const seed = seeds[extra?.segments?.at(-1)?.chunk ?? columns.chunk[index] ?? -1] ?? 0n;
      return seed === 0n ? undefined : { seed, xxh64: xxh64.readBigUInt64BE(index * XXH64_BYTES) };
    },
    hasDigest: (index, digests, at) =>
      md5.compare(digests, at, at + MD5_BYTES, index * MD5_BYTES, (index + 1) * MD5_BYTES) === 0,
    type: (index) => KINDS[columns.kind[index] ?? 0] ?? 'file',
  };
}

/** Builds a table that grows as entries are added. */
export class TableBuilder {
  readonly extras = new Map<number, Extra>();
  private readonly rows = new RowsBuilder(COLUMNS);
  private md5 = Buffer.from(growing(4096 * MD5_BYTES));
  private xxh64 = Buffer.from(growing(4096 * XXH64_BYTES));

  /** Appends an entry and returns its index. */
  add(entry: Entry): number {
    const index = this.rows.add(entry.path);
    const c = this.rows.columns;
    c.kind[index] = KIND[entry.type];
    c.mode[index] = entry.mode;
    c.uid[index] = entry.uid;
    c.gid[index] = entry.gid;
    c.size[index] = entry.size;
    c.mtimeSeconds[index] = entry.mtime.seconds;
    c.mtimeNanos[index] = entry.mtime.nanos;
    c.chunk[index] = entry.chunk ?? -1;
    c.offset[index] = entry.offset ?? 0;
    if (!this.hasRoom(index)) this.makeRoom();
    if (entry.md5 !== undefined) {
      c.hasMd5[index] = 1;
      this.md5.write(entry.md5, index * MD5_BYTES, 'hex');
    }
    if (entry.xxh64 !== undefined) {
      c.hasXxh64[index] = 1;
      this.xxh64.write(entry.xxh64, index * XXH64_BYTES, 'hex');
    }
    const extra = extraOf(entry);
    if (extra !== undefined) this.extras.set(index, extra);
    return index;
  }

  /** Appends rows, those from `from` to `to`. */
  addRows(batch: RowBatch, from = 0, to = batch.count): void {
    const first = this.rows.addMany(batch.paths, batch.pathEnd, from, to);
    const c = this.rows.columns;
    for (const name of COPIED) c[name].set(batch[name].subarray(from, to), first);
    while (!this.hasRoom(first + to - from - 1)) this.makeRoom();
    this.md5.set(batch.md5.subarray(from * MD5_BYTES, to * MD5_BYTES), first * MD5_BYTES);
    this.xxh64.set(batch.xxh64.subarray(from * XXH64_BYTES, to * XXH64_BYTES), first * XXH64_BYTES);
  }

  /** Whether there is room for the digests of this entry. */
  private hasRoom(index: number): boolean {
    return (index + 1) * MD5_BYTES <= this.md5.length;
  }

  private makeRoom(): void {
    this.md5 = Buffer.from(growBuffer(this.md5.buffer, this.md5.length * 2));
    this.xxh64 = Buffer.from(growBuffer(this.xxh64.buffer, this.xxh64.length * 2));
  }

  data(): TableData {
    return { ...this.rows.data(), md5: this.md5.buffer, xxh64: this.xxh64.buffer };
  }
}

function extraOf({ segments, holes, target, stage, linkGroup, xattrs }: Entry): Extra | undefined {
  if ((segments ?? holes ?? target ?? linkGroup ?? xattrs) === undefined) return undefined;
  return {
    ...(segments && { segments }),
    ...(holes && (segments === undefined ? { holes } : { zeroRuns: holes })),
    ...(target !== undefined && { target, ...(stage !== undefined && { stage }) }),
    ...(linkGroup !== undefined && { linkGroup }),
    ...(xattrs && { xattrs }),
  };
}
