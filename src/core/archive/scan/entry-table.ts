// Everything the upload knows of every path, in columns of shared memory: about 100 bytes a path plus its name. The scan
// worker fills it in path order, pack workers add what they stored, the manifest writer reads it. A million files need
// no million objects, and no thread copies anything to another.
import type { RawPath } from '../../paths/raw-path.js';

export const KIND = { file: 0, directory: 1, symlink: 2, hardlink: 3, dropped: 255 } as const;
/**
 * What became of an entry: not packed yet, stored, left out, stored though it changed while it was read; `same` as in
 * the version before, or `kept`: content as there, metadata new (`chunk` is then a position in that version's chunks);
 * `twin`: not packed yet, content as that of entry `link`.
 */
export const STATUS = { pending: 0, stored: 1, skipped: 2, changed: 3, same: 4, kept: 5, twin: 6 } as const;

const COLUMNS = {
  kind: Uint8Array,
  status: Uint8Array,
  mode: Uint16Array,
  uid: Uint32Array,
  gid: Uint32Array,
  size: Float64Array,
  /** Bytes on disk. Fewer than `size`: worth asking for holes (or a file system that compresses). */
  allocated: Float64Array,
  mtimeSeconds: Float64Array,
  mtimeNanos: Uint32Array,
  ctimeSeconds: Float64Array,
  ctimeNanos: Uint32Array,
  atimeSeconds: Float64Array,
  inode: BigUint64Array,
  pathEnd: Uint32Array,
  /** Symlinks: position in `targets`. Hard links: entry of the group's first member. Twins: entry of equal content. */
  link: Uint32Array,
  /** Hard link group number, 0 for none. */
  group: Uint32Array,
  chunk: Int32Array,
  offset: Float64Array,
} as const;

type ColumnName = keyof typeof COLUMNS;
export type Columns = { readonly [K in ColumnName]: InstanceType<(typeof COLUMNS)[K]> };
const NAMES = Object.keys(COLUMNS) as ColumnName[];
type ColumnType = { new (buffer: SharedArrayBuffer): Columns[ColumnName]; readonly BYTES_PER_ELEMENT: number };
// Seen as one constructor of any column: every one of them takes a buffer.
const COLUMN_TYPES: Readonly<Record<ColumnName, unknown>> = COLUMNS;
const columnType = (name: ColumnName): ColumnType => COLUMN_TYPES[name] as ColumnType;

/** What crosses to another thread: shared memory and the few strings. */
export interface EntryTableData {
  readonly count: number;
  readonly buffers: Readonly<Record<ColumnName, SharedArrayBuffer>>;
  readonly paths: SharedArrayBuffer;
  readonly md5: SharedArrayBuffer;
  readonly targets: readonly RawPath[];
}

export interface EntryTable {
  readonly count: number;
  readonly columns: Columns;
  readonly targets: readonly RawPath[];
  /** 16 bytes an entry. */
  readonly md5: Buffer;
  path(index: number): RawPath;
}

/** A view of a table made by `EntryTableBuilder`, in any thread. */
export function openEntryTable(data: EntryTableData): EntryTable {
  const columns = Object.fromEntries(
    NAMES.map((name) => [name, new (columnType(name))(data.buffers[name])]),
  ) as Columns;
  const paths = Buffer.from(data.paths);
  const ends = columns.pathEnd;
  return {
    count: data.count,
    columns,
    targets: data.targets,
    md5: Buffer.from(data.md5),
    path: (index) => paths.toString('latin1', index === 0 ? 0 : ends[index - 1], ends[index]),
  };
}

/** Grows as entries come; memory doubles, untouched pages cost nothing. */
export class EntryTableBuilder {
  columns: Columns;
  count = 0;
  readonly targets: RawPath[] = [];
  private capacity = 4096;
  private paths = Buffer.from(new SharedArrayBuffer(1 << 18));
  private pathBytes = 0;

  constructor() {
    this.columns = this.allocate(this.capacity);
  }

  private allocate(capacity: number): Columns {
    return Object.fromEntries(
      NAMES.map((name) => {
        const type = columnType(name);
        return [name, new type(new SharedArrayBuffer(capacity * type.BYTES_PER_ELEMENT))];
      }),
    ) as Columns;
  }

  /** Appends an empty entry and returns its position. */
  add(path: RawPath): number {
    if (this.count === this.capacity) this.grow();
    const end = this.pathBytes + path.length;
    if (end > this.paths.length) {
      const larger = Buffer.from(new SharedArrayBuffer(Math.max(this.paths.length * 2, end)));
      this.paths.copy(larger, 0, 0, this.pathBytes);
      this.paths = larger;
    }
    this.paths.write(path, this.pathBytes, 'latin1');
    this.pathBytes = end;
    const index = this.count++;
    this.columns.pathEnd[index] = end;
    this.columns.chunk[index] = -1;
    return index;
  }

  private grow(): void {
    this.capacity *= 2;
    const larger = this.allocate(this.capacity);
    for (const name of NAMES) (larger[name] as Uint8Array).set(this.columns[name] as Uint8Array);
    this.columns = larger;
  }

  finish(): EntryTableData {
    return {
      count: this.count,
      buffers: Object.fromEntries(
        NAMES.map((name) => [name, this.columns[name].buffer]),
      ) as unknown as EntryTableData['buffers'],
      paths: this.paths.buffer,
      md5: new SharedArrayBuffer(this.count * 16),
      targets: this.targets,
    };
  }
}
