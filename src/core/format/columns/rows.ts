// Rows with a path each, in columns of shared memory: no object per row, and no message when another thread reads them. Callers define the
// columns; `pathEnd` must be among them.
import { type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array | BigUint64Array;
type ColumnType = {
  new (buffer: SharedArrayBuffer, offset: number, length: number): Column;
  readonly BYTES_PER_ELEMENT: number;
};
/** Array constructor of each column. */
export interface ColumnTypes {
  readonly pathEnd: Uint32ArrayConstructor | Float64ArrayConstructor;
}

export type ColumnsOf<T extends ColumnTypes> = {
  readonly [Name in keyof T]: T[Name] extends { readonly prototype: infer Array } ? Array : never;
};

/** The part that is sent to another thread. */
export interface RowsData<T extends ColumnTypes> {
  readonly count: number;
  readonly buffers: Readonly<Record<keyof T, SharedArrayBuffer>>;
  readonly paths: SharedArrayBuffer;
}

export interface Rows<T extends ColumnTypes> {
  readonly count: number;
  readonly columns: ColumnsOf<T>;
  path(index: number): RawPath;
  /** Whether its path is the bytes from `from` to `to`. */
  hasPath(index: number, bytes: Uint8Array, from: number, to: number): boolean;
  /** The bytes of all paths, one after the other; more may follow. */
  readonly paths: Buffer;
}

type Buffers = Record<string, SharedArrayBuffer>;

// Typed as constructors of any column: every one of them takes a buffer.
const typesOf = (types: ColumnTypes): readonly (readonly [string, ColumnType])[] => Object.entries(types);

const viewColumns = <T extends ColumnTypes>(types: T, buffers: Readonly<Buffers>): ColumnsOf<T> =>
  Object.fromEntries(
    typesOf(types).map(([name, type]) => {
      const buffer = buffers[name] ?? new SharedArrayBuffer(0);
      // With an explicit length: a view that tracks a growing buffer is slower.
      return [name, new type(buffer, 0, buffer.byteLength / type.BYTES_PER_ELEMENT)];
    }),
  ) as unknown as ColumnsOf<T>;

/** A view of rows that a `RowsBuilder` made, in any thread. */
export function openRows<T extends ColumnTypes>(types: T, { count, buffers, paths }: RowsData<T>): Rows<T> {
  const columns = viewColumns(types, buffers);
  const text = Buffer.from(paths);
  const ends: ArrayLike<number> = endsOf(columns);
  return {
    count,
    columns,
    paths: text,
    path: (index) => rawFromBytes(text, index === 0 ? 0 : ends[index - 1], ends[index]),
    hasPath(index, bytes, from, to) {
      const begin = index === 0 ? 0 : (ends[index - 1] ?? 0);
      if (to - from !== (ends[index] ?? 0) - begin) return false;
      // Short, so that a call of `compare` would take longer.
      for (let at = from; at < to; at++) if (bytes[at] !== text[begin + at - from]) return false;
      return true;
    },
  };
}

const endsOf = (columns: object): Uint32Array | Float64Array =>
  (columns as { readonly pathEnd: Uint32Array | Float64Array }).pathEnd;

/** Factor by which a buffer may grow in place: 16 million rows, 1 GiB of paths. Only addresses are reserved. */
const RESERVE = 4096;

/** Shared memory that can grow. */
export function growing(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes, { maxByteLength: bytes * RESERVE });
  } catch (error) {
    // `ulimit -v` may leave too little address space.
    if (error instanceof RangeError) return new SharedArrayBuffer(bytes);
    throw error;
  }
}

/**
 * Returns the bytes with more room behind them: in place when the buffer can grow that far. A copy leaves memory behind that the garbage
 * collector is in no hurry to free.
 */
export function growBuffer(buffer: SharedArrayBuffer, bytes: number): SharedArrayBuffer {
  if (buffer.growable && bytes <= buffer.maxByteLength) {
    buffer.grow(bytes);
    return buffer;
  }
  const larger = new SharedArrayBuffer(bytes);
  new Uint8Array(larger).set(new Uint8Array(buffer));
  return larger;
}

/** Factor by which memory grows when it is full. Untouched pages cost nothing, and a copy, when one is needed, is rare. */
const GROWTH = 8;

/** Builds rows; its memory grows as they are added. */
export class RowsBuilder<T extends ColumnTypes> {
  /** Replaced after each `add`. */
  columns: ColumnsOf<T>;
  count = 0;
  /** True once a part of the memory has moved: who was handed it before writes into what nobody reads. */
  hasMoved = false;
  private capacity = 4096;
  private readonly buffers: Buffers;
  private paths = Buffer.from(growing(1 << 18));
  private pathBytes = 0;

  constructor(private readonly types: T) {
    this.buffers = Object.fromEntries(
      typesOf(types).map(([name, type]) => [name, growing(this.capacity * type.BYTES_PER_ELEMENT)]),
    );
    this.columns = viewColumns(types, this.buffers);
  }

  /** Appends an empty row and returns its position. */
  add(path: RawPath): number {
    if (this.count === this.capacity) this.grow();
    const at = this.extend(path.length);
    this.paths.write(path, at, 'latin1');
    const index = this.count++;
    endsOf(this.columns)[index] = this.pathBytes;
    return index;
  }

  /** Appends an empty row for each of `from` to `to` and returns the position of the first: their paths end where `pathEnds` says in `paths`. */
  addMany(paths: Uint8Array, pathEnds: Uint32Array, from: number, to: number): number {
    while (this.count + to - from > this.capacity) this.grow();
    const start = from === 0 ? 0 : (pathEnds[from - 1] ?? 0);
    const end = pathEnds[to - 1] ?? 0;
    const at = this.extend(end - start);
    this.paths.set(paths.subarray(start, end), at);
    const first = this.count;
    const ends = endsOf(this.columns);
    for (let row = from; row < to; row++) ends[first + row - from] = at + (pathEnds[row] ?? 0) - start;
    this.count += to - from;
    return first;
  }

  /** Makes room for more bytes of paths, and returns where they go. */
  private extend(bytes: number): number {
    const at = this.pathBytes;
    this.pathBytes += bytes;
    if (this.pathBytes > this.paths.length)
      this.paths = Buffer.from(this.larger(this.paths.buffer, Math.max(this.paths.length * GROWTH, this.pathBytes)));
    return at;
  }

  private grow(): void {
    this.capacity *= GROWTH;
    for (const [name, type] of typesOf(this.types))
      this.buffers[name] = this.larger(
        this.buffers[name] ?? new SharedArrayBuffer(0),
        this.capacity * type.BYTES_PER_ELEMENT,
      );
    this.columns = viewColumns(this.types, this.buffers);
  }

  /** Like `growBuffer`, and notes where that was a copy. */
  protected larger(buffer: SharedArrayBuffer, bytes: number): SharedArrayBuffer {
    const grown = growBuffer(buffer, bytes);
    if (grown !== buffer) this.hasMoved = true;
    return grown;
  }

  /** The rows so far, in memory that later rows are added to. */
  data(): RowsData<T> {
    const buffers = this.buffers as Record<keyof T, SharedArrayBuffer>;
    return { count: this.count, buffers, paths: this.paths.buffer };
  }
}
