// Turns the entries to write into work for the workers. Pure, except for asking what the cache holds.
import { readPlan } from '../../platform/limits/memory-plan.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { openExtents, planExtents, type ExtentData, type Extents } from './extents.js';
import type { FrameCache } from '../frame-cache.js';
import { planChunk, planLanes, type Lane, type LaneChunk } from './lanes.js';
import { STATE, type Extra, type SelectedTable } from './selected-table.js';

const MIB = 1024 * 1024;
/** Most bytes of a GET, unless a frame is larger. */
const MAX_SPAN = 16 * MIB;
const MIN_SPAN = MIB;
/** Gaps up to this are fetched too instead of making two requests: about what a connection transfers during a round trip. */
const MAX_GAP = 512 * 1024;
/** Two frames of the usual size, decoded: a thread takes longer to start. */
const MAX_LITTLE_BYTES = 32 * MIB;
const MAX_LITTLE_ENTRIES = 256;

/** Work for the workers, in lanes, and the limits that hold for it. */
export interface Work {
  readonly lanes: readonly Lane[];
  readonly extents: ExtentData;
  readonly view: Extents;
  readonly empty: readonly number[];
  readonly workers: number;
  readonly bytesUnderWay: number;
  readonly chunks: number;
}

export interface PlanWorkOptions {
  readonly table: SelectedTable;
  readonly extras: ReadonlyMap<number, Extra>;
  readonly chunks: readonly ChunkRecord[];
  /** Entries that are made as links, not from content. */
  readonly hardlinks: ReadonlyMap<number, number>;
  /** Threads, as many as there is memory for. */
  readonly workers: number;
  readonly memoryLimitBytes?: number | undefined;
  readonly cache?: FrameCache | undefined;
  /** Chunks of which every frame is fetched (verify), not only those with selected content. */
  readonly wholeChunks?: readonly number[];
}

function* withContent({ table, hardlinks }: PlanWorkOptions): Generator<number> {
  for (let index = 0; index < table.count; index++) {
    const type = table.type(index);
    if (
      (type === 'file' || type === 'hardlink') &&
      table.columns.state[index] === STATE.waiting &&
      !hardlinks.has(index)
    )
      yield index;
  }
}

/** Plans what to fetch and in which order. */
export function planWork(options: PlanWorkOptions): Work {
  const { table, extras, chunks, workers, cache } = options;
  const plan = planExtents(withContent(options), table, extras, chunks);
  const view = openExtents(plan.data);
  const { bytesUnderWay } = readPlan(options.memoryLimitBytes, workers);
  const maxBytes = Math.max(MIN_SPAN, Math.min(MAX_SPAN, Math.floor(bytesUnderWay / (workers * 3))));
  const spanOptions = { maxBytes, maxGap: MAX_GAP, ...(cache && { isCached: (sha256: string) => cache.has(sha256) }) };
  const ranges = options.wholeChunks === undefined ? plan.chunks : wholeRanges(options.wholeChunks, plan.chunks);
  const laneChunks = ranges.flatMap((range) => {
    const record = chunks[range.chunk];
    if (record === undefined) return [];
    const every = options.wholeChunks === undefined ? undefined : record.frames.map((_, frame) => frame);
    return [planChunk(range, record, view, { ...spanOptions, every })];
  });
  const cutFiles = [...extras.values()].flatMap(({ segments }) =>
    segments ? [segments.map(({ chunk }) => chunk)] : [],
  );
  const lanes = planLanes(laneChunks, cutFiles);
  const pieces = lanes.length + Math.ceil(plan.empty.length / 1000);
  return {
    lanes,
    extents: plan.data,
    view,
    empty: plan.empty,
    workers: Math.min(workers, pieces),
    bytesUnderWay,
    chunks: laneChunks.length,
  };
}

/** True if it is done sooner than a thread has started. */
export function isLittle({ lanes, extents, empty }: Pick<Work, 'lanes' | 'extents' | 'empty'>): boolean {
  if (extents.count + empty.length > MAX_LITTLE_ENTRIES) return false;
  let rawBytes = 0;
  for (const { record, spans } of lanes.flatMap(({ chunks }) => chunks))
    for (const { first, last } of spans)
      for (const frame of record.frames.slice(first, last + 1)) rawBytes += frame.rawSize;
  return rawBytes <= MAX_LITTLE_BYTES;
}

function wholeRanges(
  chunks: readonly number[],
  planned: readonly { chunk: number; from: number; to: number }[],
): { chunk: number; from: number; to: number }[] {
  const byChunk = new Map(planned.map((range) => [range.chunk, range]));
  return chunks.map((chunk) => byChunk.get(chunk) ?? { chunk, from: 0, to: 0 });
}

/** Returns the extras of the entries in one chunk. */
export function extentCut(
  { from, to }: LaneChunk,
  { view }: Work,
  extras: ReadonlyMap<number, Extra>,
): ReadonlyMap<number, Extra> {
  const own = new Map<number, Extra>();
  if (extras.size === 0) return own;
  for (let extent = from; extent < to; extent++) {
    const entry = view.entry[extent] ?? 0;
    const extra = extras.get(entry);
    if (extra !== undefined) own.set(entry, extra);
  }
  return own;
}
