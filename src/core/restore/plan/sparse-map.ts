// Maps the stored bytes of a sparse file to their offsets in the file. Pure.

/** A run of stored bytes: `length` bytes at `position` of the stored content belong at `offset` of the file. */
export interface DataRun {
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

/** Returns the runs between the holes, in order; none when the file is one hole. */
export function dataRuns(size: number, holes: readonly (readonly [number, number])[]): DataRun[] {
  const runs: DataRun[] = [];
  let offset = 0;
  let position = 0;
  const add = (end: number): void => {
    if (end <= offset) return;
    runs.push({ offset, length: end - offset, position });
    position += end - offset;
  };
  for (const [start, length] of holes) {
    add(start);
    offset = start + length;
  }
  add(size);
  return runs;
}

const ZEROS = Buffer.alloc(1024 * 1024);

/** Calls `use` for the parts of `bytes`, which begin at `offset` of the file, except for zeros in `runs`, which are in order. */
export function writeAround(
  runs: readonly (readonly [number, number])[],
  offset: number,
  bytes: Uint8Array,
  use: (offset: number, part: Uint8Array) => void,
): void {
  const end = offset + bytes.byteLength;
  let at = offset;
  const put = (to: number): void => {
    if (to > at) use(at, bytes.subarray(at - offset, to - offset));
  };
  for (let index = firstEndingAfter(runs, offset); index < runs.length; index++) {
    const [start, length] = runs[index] ?? [end, 0];
    if (start >= end) break;
    const stop = Math.min(start + length, end);
    for (let from = Math.max(start, offset), to = from; from < stop; from = to) {
      to = Math.min(stop, from + ZEROS.byteLength);
      // A file that changed while it was read may now have data where it had a hole.
      if (ZEROS.compare(bytes, from - offset, to - offset, 0, to - from) !== 0) continue;
      put(from);
      at = to;
    }
  }
  put(end);
}

function firstEndingAfter(runs: readonly (readonly [number, number])[], offset: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const [start = 0, length = 0] = runs[middle] ?? [];
    if (start + length > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
