// The entries to restore or check, in columns of shared memory: about 100 bytes each plus the name. The main thread fills
// it from the manifest, workers read it and note what became of each entry; no per-file message crosses a thread.
import { KIND } from '../../archive/scan/entry-table.js';
import type { Entry, EntryType, Segment } from '../../manifest/manifest-types.js';
import type { RawPath } from '../../paths/raw-path.js';

/** What became of an entry. Everything begins as `waiting`; `written` is all there, but its MD5 is not compared yet. */
export const STATE = { waiting: 0, done: 1, failed: 2, unchanged: 3, skipped: 4, written: 5 } as const;
const KINDS: readonly EntryType[] = ['file', 'directory', 'symlink', 'hardlink'];

const COLUMNS = {
  kind: Uint8Array,
  state: Uint8Array,
  hasMd5: Uint8Array,
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
type ColumnName = keyof typeof COLUMNS;
type Columns = { readonly [K in ColumnName]: InstanceType<(typeof COLUMNS)[K]> };
const NAMES = Object.keys(COLUMNS) as ColumnName[];
type ColumnType = { new (buffer: SharedArrayBuffer): Columns[ColumnName]; readonly BYTES_PER_ELEMENT: number };
const columnType = (name: ColumnName): ColumnType => COLUMNS[name];
const MD5_BYTES = 16;

/** What few entries have. */
export interface Extra {
  readonly segments?: readonly Segment[];
  readonly holes?: readonly (readonly [number, number])[];
  readonly target?: RawPath;
  readonly linkGroup?: number;
  readonly xattrs?: ReadonlyMap<RawPath, Uint8Array>;
}

/** What crosses to another thread. */
export interface TableData {
  readonly count: number;
  readonly buffers: Readonly<Record<ColumnName, SharedArrayBuffer>>;
  readonly paths: SharedArrayBuffer;
  readonly md5: SharedArrayBuffer;
}

/** A view of a table in any thread. */
export interface SelectedTable {
  readonly count: number;
  readonly columns: Columns;
  path(index: number): RawPath;
  /** Hex, or undefined where the manifest has none. */
  md5(index: number): string | undefined;
  /** Whether the entry's MD5 is the 16 bytes at `at`. */
  hasDigest(index: number, digests: Uint8Array, at: number): boolean;
  type(index: number): EntryType;
}

export function openTable(data: TableData): SelectedTable {
  const columns = Object.fromEntries(
    NAMES.map((name) => [name, new (columnType(name))(data.buffers[name])]),
  ) as Columns;
  const paths = Buffer.from(data.paths);
  const md5 = Buffer.from(data.md5);
  const ends = columns.pathEnd;
  return {
    count: data.count,
    columns,
    path: (index) => paths.toString('latin1', index === 0 ? 0 : ends[index - 1], ends[index]),
    md5: (index) =>
      columns.hasMd5[index] === 1 ? md5.toString('hex', index * MD5_BYTES, (index + 1) * MD5_BYTES) : undefined,
    hasDigest: (index, digests, at) =>
      md5.compare(digests, at, at + MD5_BYTES, index * MD5_BYTES, (index + 1) * MD5_BYTES) === 0,
    type: (index) => KINDS[columns.kind[index] ?? 0] ?? 'file',
  };
}

const enlarge = (buffer: SharedArrayBuffer, bytes: number): SharedArrayBuffer => {
  const larger = new SharedArrayBuffer(bytes);
  new Uint8Array(larger).set(new Uint8Array(buffer));
  return larger;
};

/** Grows as entries come. */
export class TableBuilder {
  readonly extras = new Map<number, Extra>();
  private capacity = 1024;
  private count = 0;
  private buffers: Record<ColumnName, SharedArrayBuffer>;
  private columns: Columns;
  private paths = new SharedArrayBuffer(1 << 16);
  private pathView = Buffer.from(this.paths);
  private pathBytes = 0;
  private md5 = new SharedArrayBuffer(1024 * MD5_BYTES);
  private md5View = Buffer.from(this.md5);

  constructor() {
    this.buffers = Object.fromEntries(
      NAMES.map((name) => [name, new SharedArrayBuffer(this.capacity * columnType(name).BYTES_PER_ELEMENT)]),
    ) as Record<ColumnName, SharedArrayBuffer>;
    this.columns = this.viewColumns();
  }

  private viewColumns(): Columns {
    return Object.fromEntries(NAMES.map((name) => [name, new (columnType(name))(this.buffers[name])])) as Columns;
  }

  private grow(): void {
    this.capacity *= 2;
    for (const name of NAMES)
      this.buffers[name] = enlarge(this.buffers[name], this.capacity * columnType(name).BYTES_PER_ELEMENT);
    this.columns = this.viewColumns();
    this.md5 = enlarge(this.md5, this.capacity * MD5_BYTES);
    this.md5View = Buffer.from(this.md5);
  }

  private appendPath(path: RawPath): void {
    const end = this.pathBytes + path.length;
    if (end > this.paths.byteLength) {
      this.paths = enlarge(this.paths, Math.max(end, this.paths.byteLength * 2));
      this.pathView = Buffer.from(this.paths);
    }
    this.pathView.write(path, this.pathBytes, 'latin1');
    this.pathBytes = end;
  }

  /** Appends an entry and returns its index. */
  add(entry: Entry): number {
    if (this.count === this.capacity) this.grow();
    const index = this.count++;
    const c = this.columns;
    this.appendPath(entry.path);
    c.pathEnd[index] = this.pathBytes;
    c.kind[index] = KIND[entry.type];
    c.mode[index] = entry.mode;
    c.uid[index] = entry.uid;
    c.gid[index] = entry.gid;
    c.size[index] = entry.size;
    c.mtimeSeconds[index] = entry.mtime.seconds;
    c.mtimeNanos[index] = entry.mtime.nanos;
    c.chunk[index] = entry.chunk ?? -1;
    c.offset[index] = entry.offset ?? 0;
    if (entry.md5 !== undefined) {
      c.hasMd5[index] = 1;
      this.md5View.write(entry.md5, index * MD5_BYTES, 'hex');
    }
    const extra = extraOf(entry);
    if (extra !== undefined) this.extras.set(index, extra);
    return index;
  }

  data(): TableData {
    return { count: this.count, buffers: this.buffers, paths: this.paths, md5: this.md5 };
  }
}

function extraOf({ segments, holes, target, linkGroup, xattrs }: Entry): Extra | undefined {
  if ((segments ?? holes ?? target ?? linkGroup ?? xattrs) === undefined) return undefined;
  return {
    ...(segments && { segments }),
    ...(holes && { holes }),
    ...(target !== undefined && { target }),
    ...(linkGroup !== undefined && { linkGroup }),
    ...(xattrs && { xattrs }),
  };
}
