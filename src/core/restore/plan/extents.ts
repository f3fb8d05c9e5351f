// The places of the selected entries' content, sorted by chunk and offset, in columns of shared memory. A file is one extent, a cut file
// one for each of its parts; stored bytes of a sparse file lie together, so it is one as well.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { Extra, SelectedTable } from './selected-table.js';

export interface ExtentData {
  readonly count: number;
  readonly entry: SharedArrayBuffer;
  readonly offset: SharedArrayBuffer;
  readonly size: SharedArrayBuffer;
  readonly position: SharedArrayBuffer;
}

export interface Extents {
  readonly entry: Uint32Array;
  /** Offset in the chunk's tar stream. */
  readonly offset: Float64Array;
  readonly size: Float64Array;
  /** Offset in the stored content of the entry. */
  readonly position: Float64Array;
}

/** The extents `from` to `to` (exclusive) lie in this chunk. */
export interface ChunkExtents {
  readonly chunk: number;
  readonly from: number;
  readonly to: number;
}

export interface ExtentPlan {
  readonly data: ExtentData;
  readonly chunks: readonly ChunkExtents[];
  /** Entries with content to write and no stored bytes: empty files, files that are one hole. */
  readonly empty: readonly number[];
}

export const openExtents = (data: ExtentData): Extents => ({
  entry: new Uint32Array(data.entry),
  offset: new Float64Array(data.offset),
  size: new Float64Array(data.size),
  position: new Float64Array(data.position),
});

/** Returns the bytes of an entry's content in the tar stream. */
export const storedSize = (size: number, extra: Extra | undefined): number =>
  (extra?.holes ?? []).reduce((left, [, length]) => left - length, size);

interface Draft {
  readonly entry: number[];
  readonly chunk: number[];
  readonly offset: number[];
  readonly size: number[];
  readonly position: number[];
}

function collect(
  entries: Iterable<number>,
  table: SelectedTable,
  extras: ReadonlyMap<number, Extra>,
): { draft: Draft; empty: number[] } {
  const draft: Draft = { entry: [], chunk: [], offset: [], size: [], position: [] };
  const empty: number[] = [];
  const add = (entry: number, chunk: number, offset: number, size: number, position: number): void => {
    draft.entry.push(entry);
    draft.chunk.push(chunk);
    draft.offset.push(offset);
    draft.size.push(size);
    draft.position.push(position);
  };
  const { columns } = table;
  for (const index of entries) {
    const extra = extras.get(index);
    const size = storedSize(columns.size[index] ?? 0, extra);
    if (size === 0) {
      empty.push(index);
    } else if (extra?.segments === undefined) {
      add(index, columns.chunk[index] ?? 0, columns.offset[index] ?? 0, size, 0);
    } else {
      let position = 0;
      for (const segment of extra.segments) {
        if (segment.size > 0) add(index, segment.chunk, segment.offset, segment.size, position);
        position += segment.size;
      }
    }
  }
  return { draft, empty };
}

/** Sorts the content of `entries` by chunk and offset. */
export function planExtents(
  entries: Iterable<number>,
  table: SelectedTable,
  extras: ReadonlyMap<number, Extra>,
  chunks: readonly ChunkRecord[],
): ExtentPlan {
  const { draft, empty } = collect(entries, table, extras);
  const count = draft.entry.length;
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  const { chunk, offset } = draft;
  // Manifests come in path order and chunks are packed in path order, so this mostly finds its work done.
  order.sort((a, b) => (chunk[a] ?? 0) - (chunk[b] ?? 0) || (offset[a] ?? 0) - (offset[b] ?? 0) || a - b);
  const share = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(count * bytes);
  const data: ExtentData = { count, entry: share(4), offset: share(8), size: share(8), position: share(8) };
  const extents = openExtents(data);
  const ranges: { chunk: number; from: number; to: number }[] = [];
  order.forEach((from, to) => {
    extents.entry[to] = draft.entry[from] ?? 0;
    extents.offset[to] = offset[from] ?? 0;
    extents.size[to] = draft.size[from] ?? 0;
    extents.position[to] = draft.position[from] ?? 0;
    const position = chunk[from] ?? 0;
    const last = ranges.at(-1);
    if (last?.chunk === position) last.to = to + 1;
    else if (chunks[position] !== undefined) ranges.push({ chunk: position, from: to, to: to + 1 });
  });
  return { data, chunks: ranges, empty };
}
