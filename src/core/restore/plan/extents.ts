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

export const openExtents = ({ count, entry, offset, size, position }: ExtentData): Extents => ({
  entry: new Uint32Array(entry, 0, count),
  offset: new Float64Array(offset, 0, count),
  size: new Float64Array(size, 0, count),
  position: new Float64Array(position, 0, count),
});

const roomFor = (count: number): ExtentData => ({
  count,
  entry: new SharedArrayBuffer(count * 4),
  offset: new SharedArrayBuffer(count * 8),
  size: new SharedArrayBuffer(count * 8),
  position: new SharedArrayBuffer(count * 8),
});

/** Returns the bytes of an entry's content in the tar stream. */
export const storedSize = (size: number, extra: Extra | undefined): number =>
  (extra?.holes ?? []).reduce((left, [, length]) => left - length, size);

interface Draft {
  readonly data: ExtentData;
  /** The chunk of each extent. */
  readonly chunk: Uint32Array;
  readonly isSorted: boolean;
  readonly empty: number[];
}

function collect(entries: Iterable<number>, table: SelectedTable, extras: ReadonlyMap<number, Extra>): Draft {
  let most = table.count;
  for (const { segments = [] } of extras.values()) most += segments.length;
  // Not in arrays: those of a million entries would be 100 MB of garbage by the time they have grown.
  const room = roomFor(most);
  const extents = openExtents(room);
  const chunks = new Uint32Array(most);
  const empty: number[] = [];
  let count = 0;
  let isSorted = true;
  const add = (entry: number, chunk: number, offset: number, size: number, position: number): void => {
    const last = chunks[count - 1] ?? 0;
    if (last > chunk || (last === chunk && (extents.offset[count - 1] ?? 0) > offset)) isSorted = false;
    extents.entry[count] = entry;
    extents.offset[count] = offset;
    extents.size[count] = size;
    extents.position[count] = position;
    chunks[count++] = chunk;
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
  return { data: { ...room, count }, chunk: chunks.subarray(0, count), isSorted, empty };
}

/** The same by chunk and offset; last what names a chunk that is not among `chunks`. */
function sorted({ data, chunk, empty }: Draft, chunks: number): Draft {
  const { count } = data;
  const from = openExtents(data);
  const order = orderOf(chunk, chunks, from.offset);
  const result = roomFor(count);
  const to = openExtents(result);
  for (let at = 0; at < count; at++) {
    const was = order[at] ?? 0;
    to.entry[at] = from.entry[was] ?? 0;
    to.offset[at] = from.offset[was] ?? 0;
    to.size[at] = from.size[was] ?? 0;
    to.position[at] = from.position[was] ?? 0;
  }
  return { data: result, chunk: order.map((was) => chunk[was] ?? 0), isSorted: true, empty };
}

/** Positions by chunk, which takes two passes, and in a chunk by offset, as which they mostly come. */
function orderOf(chunk: Uint32Array, chunks: number, offset: Float64Array): Uint32Array {
  const offsetOf = (at: number): number => offset[at] ?? 0;
  const bucketOf = (at: number): number => Math.min(chunk[at] ?? 0, chunks);
  const counts = new Uint32Array(chunks + 1);
  const takeOne = (bucket: number): number => (counts[bucket] = (counts[bucket] ?? 0) + 1) - 1;
  for (let at = 0; at < chunk.length; at++) takeOne(bucketOf(at));
  const starts: number[] = [];
  let sum = 0;
  for (const count of counts) {
    starts.push(sum);
    sum += count;
  }
  counts.set(starts);
  const order = new Uint32Array(chunk.length);
  for (let at = 0; at < chunk.length; at++) order[takeOne(bucketOf(at))] = at;
  for (const [bucket, start] of starts.entries()) {
    const own = order.subarray(start, starts[bucket + 1]);
    const isAscending = own.every((at, index) => index === 0 || offsetOf(own[index - 1] ?? 0) <= offsetOf(at));
    if (!isAscending) own.sort((a, b) => offsetOf(a) - offsetOf(b) || a - b);
  }
  return order;
}

/** Sorts the content of `entries` by chunk and offset. */
export function planExtents(
  entries: Iterable<number>,
  table: SelectedTable,
  extras: ReadonlyMap<number, Extra>,
  chunks: readonly ChunkRecord[],
): ExtentPlan {
  const draft = collect(entries, table, extras);
  const { data, chunk, empty } = draft.isSorted ? draft : sorted(draft, chunks.length);
  const ranges: { chunk: number; from: number; to: number }[] = [];
  for (let at = 0; at < data.count; at++) {
    const position = chunk[at] ?? 0;
    const last = ranges.at(-1);
    if (last?.chunk === position) last.to = at + 1;
    else if (chunks[position] !== undefined) ranges.push({ chunk: position, from: at, to: at + 1 });
  }
  return { data, chunks: ranges, empty };
}
