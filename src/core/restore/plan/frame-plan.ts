// Plans which bytes of a chunk to fetch for the frames that are needed. Pure.
//
// Neighbouring frames become one ranged GET as long as it stays below `maxBytes`; frames in between that nobody needs
// are fetched along when that costs less than another request. A GET never exceeds `maxBytes` unless one frame does.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';

/** Frames `first` to `last` (inclusive) of a chunk, stored at bytes `start` to `end` of the object. */
export interface Span {
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
}

export interface SpanOptions {
  readonly maxBytes: number;
  /** Most unneeded bytes that are fetched to save a request. */
  readonly maxGap: number;
}

/** Offsets of each frame in the object and in the tar stream; one element more than there are frames. */
export interface FrameOffsets {
  readonly stored: Float64Array;
  readonly raw: Float64Array;
}

export function frameOffsets(chunk: Pick<ChunkRecord, 'frames'>): FrameOffsets {
  const stored = new Float64Array(chunk.frames.length + 1);
  const raw = new Float64Array(chunk.frames.length + 1);
  chunk.frames.forEach((frame, index) => {
    stored[index + 1] = (stored[index] ?? 0) + frame.size;
    raw[index + 1] = (raw[index] ?? 0) + frame.rawSize;
  });
  return { stored, raw };
}

/** Returns the last frame that begins at or before `offset` of the tar stream. */
export function frameAt(raw: Float64Array, offset: number): number {
  let low = 0;
  let high = raw.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((raw[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Groups frames, given in ascending order, into spans. */
export function planSpans(needed: readonly number[], stored: Float64Array, { maxBytes, maxGap }: SpanOptions): Span[] {
  const spans: Span[] = [];
  let current: Span | undefined;
  for (const frame of needed) {
    const start = stored[frame] ?? 0;
    const end = stored[frame + 1] ?? start;
    if (current !== undefined && start - current.end <= maxGap && end - current.start <= maxBytes) {
      current = { ...current, last: frame, end };
      spans[spans.length - 1] = current;
    } else {
      current = { first: frame, last: frame, start, end };
      spans.push(current);
    }
  }
  return spans;
}
