// The order of work. A lane is done by one worker in sequence: one chunk, or several that a cut file ties together, so that its parts come
// in order and its checksum can be computed while it is written. Lanes are independent. Pure.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { ChunkExtents, Extents } from './extents.js';
import { frameAt, frameOffsets, planSpans, type Span, type SpanOptions } from './frame-plan.js';
import { listsByKey } from '../../platform/lists-by-key.js';

export interface LaneChunk extends ChunkExtents {
  readonly record: ChunkRecord;
  readonly spans: readonly Span[];
  /** Total bytes of the spans. */
  readonly bytes: number;
}

export interface Lane {
  readonly chunks: readonly LaneChunk[];
  readonly bytes: number;
}

/** Returns the frames that hold extents `from` to `to`, ascending. */
export function neededFrames({ from, to }: ChunkExtents, extents: Extents, raw: Float64Array): number[] {
  const frames: number[] = [];
  let next = 0;
  for (let index = from; index < to; index++) {
    const start = extents.offset[index] ?? 0;
    const end = start + (extents.size[index] ?? 0);
    let frame = Math.max(next, frameAt(raw, start));
    for (; frame < raw.length - 1 && (raw[frame] ?? 0) < end; frame++) frames.push(frame);
    next = Math.max(next, frame);
  }
  return frames;
}

export interface LaneOptions extends SpanOptions {
  /** Tells which frames need not be fetched from the store: they become spans of their own, so that the ranges skip them. */
  readonly isCached?: (sha256: string) => boolean;
  /** Frames to fetch whatever is selected. */
  readonly every?: readonly number[] | undefined;
}

/** Plans the spans of one chunk. */
export function planChunk(range: ChunkExtents, record: ChunkRecord, extents: Extents, options: LaneOptions): LaneChunk {
  const offsets = frameOffsets(record);
  const needed = options.every ?? neededFrames(range, extents, offsets.raw);
  const isCached = (frame: number): boolean => options.isCached?.(record.frames[frame]?.sha256 ?? '') ?? false;
  const remote = planSpans(
    needed.filter((frame) => !isCached(frame)),
    offsets.stored,
    options,
  );
  // A gap in a remote span may be a cached frame: it is fetched with the span, so it is not read again.
  const isCovered = (frame: number): boolean => remote.some(({ first, last }) => frame >= first && frame <= last);
  const local = needed.filter((frame) => isCached(frame) && !isCovered(frame));
  const single = local.map((frame) => ({
    first: frame,
    last: frame,
    start: offsets.stored[frame] ?? 0,
    end: offsets.stored[frame + 1] ?? 0,
  }));
  const spans = [...remote, ...single].sort((a, b) => a.first - b.first);
  return { ...range, record, spans, bytes: spans.reduce((sum, { start, end }) => sum + end - start, 0) };
}

/**
 * Puts chunks that share a cut file into one lane, in the order in which the parts of the files come; largest lanes
 * first, so that the last worker does not end long after the others.
 * @param cutFiles for each cut file the chunks of its parts, in order
 */
export function planLanes(chunks: readonly LaneChunk[], cutFiles: readonly (readonly number[])[]): Lane[] {
  const parents = new Map<number, number>();
  const rootOf = (chunk: number): number => {
    let root = chunk;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    return root;
  };
  const rank = new Map<number, number>();
  for (const parts of cutFiles) {
    for (const part of parts) {
      if (!rank.has(part)) rank.set(part, rank.size);
      const [first = part] = parts;
      const [a, b] = [rootOf(first), rootOf(part)];
      if (a !== b) parents.set(b, a);
    }
  }
  const groups = listsByKey(chunks, ({ chunk }) => rootOf(chunk));
  const rankOf = ({ chunk }: LaneChunk): number => rank.get(chunk) ?? 0;
  return [...groups.values()]
    .map((group) => ({
      chunks: group.toSorted((a, b) => rankOf(a) - rankOf(b)),
      bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    .sort((a, b) => b.bytes - a.bytes);
}
