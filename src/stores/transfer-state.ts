// The books of one long operation: TransferEvents folded into counters, counters turned into snapshots. The counters
// are mutable on purpose: an event costs no allocation, and only the store's ten snapshots a second do.
import type { Operation, ThawEvent, TransferEvent } from '../core/events.js';
import { createRateEstimator, type RateEstimator } from './rate-estimator.js';

export type TransferPhase = 'starting' | 'scanning' | 'thawing' | 'transferring' | 'committing' | 'finishing' | 'done';

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface ShardProgress {
  readonly plannedBytes: number;
  readonly doneBytes: number;
}

/** Chunks that come back from cold storage. */
export interface ThawProgress extends Omit<ThawEvent, 'type'> {
  readonly readable: number;
  readonly nextLookInMs: number;
}

/** What is known now; readers get a new one ten times a second at most. */
export interface TransferSnapshot {
  /** Undefined until the operation has begun. */
  readonly operation: Operation | undefined;
  readonly source: string;
  readonly target: string;
  readonly phase: TransferPhase;
  /** The user asked to stop; what is in flight is being finished. */
  readonly isStopping: boolean;
  readonly compression: string | undefined;
  /** Totals are undefined until the plan is made. */
  readonly filesTotal: number | undefined;
  readonly bytesTotal: number | undefined;
  readonly chunksTotal: number | undefined;
  /** Found so far while scanning. */
  readonly filesFound: number;
  readonly bytesFound: number;
  readonly filesDone: number;
  readonly bytesDone: number;
  /** Stored bytes of the finished chunks: sent by an upload, fetched by the others. */
  readonly storedBytes: number;
  readonly chunksDone: number;
  readonly chunksInFlight: number;
  readonly retries: number;
  readonly shards: readonly ShardProgress[];
  readonly path: string | undefined;
  /** Shards with a chunk in flight, ascending. */
  readonly activeShards: readonly number[];
  readonly bytesPerSecond: number;
  readonly storedBytesPerSecond: number;
  readonly etaMs: number | undefined;
  /** Raw over stored bytes of the finished chunks. */
  readonly ratio: number | undefined;
  readonly skippedCount: number;
  /** The first ten; `skippedCount` says how many there are. */
  readonly skipped: readonly SkippedFile[];
  readonly notes: readonly string[];
  /** While that is waited for. */
  readonly thaw: ThawProgress | undefined;
  readonly elapsedMs: number;
}

/** How many skipped files a snapshot names. */
export const SKIPPED_SHOWN = 10;

const RATE_WINDOW_MS = 10_000;
// The time left jumps about when it follows the speed of the last seconds.
const ETA_WINDOW_MS = 60_000;

type Start = Extract<TransferEvent, { type: 'start' }>;
type Plan = Extract<TransferEvent, { type: 'plan' }>;
type Chunk = Extract<TransferEvent, { type: 'chunk' }>;

export interface TransferState {
  start: Start | undefined;
  plan: Plan | undefined;
  phase: TransferPhase;
  isStopping: boolean;
  startedAtMs: number;
  endedAtMs: number | undefined;
  filesFound: number;
  bytesFound: number;
  filesDone: number;
  bytesDone: number;
  rawBytes: number;
  storedBytes: number;
  chunksDone: number;
  readonly shardOfChunk: Map<number, number>;
  shardDoneBytes: number[];
  retries: number;
  path: string | undefined;
  skippedCount: number;
  readonly skipped: SkippedFile[];
  readonly notes: string[];
  thaw: ThawEvent | undefined;
  readonly rate: RateEstimator;
  readonly steadyRate: RateEstimator;
  readonly storedRate: RateEstimator;
}

/** Empty books, opened at this moment. */
export function createTransferState(nowMs: number): TransferState {
  return {
    start: undefined,
    plan: undefined,
    phase: 'starting',
    isStopping: false,
    startedAtMs: nowMs,
    endedAtMs: undefined,
    filesFound: 0,
    bytesFound: 0,
    filesDone: 0,
    bytesDone: 0,
    rawBytes: 0,
    storedBytes: 0,
    chunksDone: 0,
    shardOfChunk: new Map(),
    shardDoneBytes: [],
    retries: 0,
    path: undefined,
    skippedCount: 0,
    skipped: [],
    notes: [],
    thaw: undefined,
    rate: createRateEstimator(RATE_WINDOW_MS),
    steadyRate: createRateEstimator(ETA_WINDOW_MS),
    storedRate: createRateEstimator(RATE_WINDOW_MS),
  };
}

/** Folds one event into the books. */
export function foldEvent(state: TransferState, event: TransferEvent, nowMs: number): void {
  switch (event.type) {
    case 'start':
      state.start = event;
      state.startedAtMs = nowMs;
      return;
    case 'scan':
      state.filesFound = event.files;
      state.bytesFound = event.bytes;
      return;
    case 'plan':
      foldPlan(state, event, nowMs);
      return;
    case 'progress':
      foldProgress(state, event, nowMs);
      return;
    case 'chunk':
      foldChunk(state, event, nowMs);
      return;
    case 'retry':
      state.retries += 1;
      return;
    case 'skip':
      state.skippedCount += 1;
      if (state.skipped.length < SKIPPED_SHOWN) state.skipped.push({ path: event.path, reason: event.reason });
      return;
    case 'phase':
      state.phase = event.phase;
      return;
    case 'thaw':
      state.thaw = event;
      state.phase = 'thawing';
      return;
    case 'note':
      state.notes.push(event.text);
      return;
    case 'done':
      state.phase = 'done';
      state.endedAtMs = nowMs;
      return;
    default:
      event satisfies never;
  }
}

function foldPlan(state: TransferState, plan: Plan, nowMs: number): void {
  state.plan = plan;
  state.thaw = undefined;
  state.shardDoneBytes = plan.shardBytes.map(() => 0);
  // The scan is over: rates count from here, or the first minute would average in the time spent scanning.
  addRates(state, nowMs);
  state.storedRate.add(state.storedBytes, nowMs);
}

function addRates(state: TransferState, nowMs: number): void {
  state.rate.add(state.bytesDone, nowMs);
  state.steadyRate.add(state.bytesDone, nowMs);
}

function foldProgress(state: TransferState, event: Extract<TransferEvent, { type: 'progress' }>, nowMs: number): void {
  state.filesDone = event.files;
  state.bytesDone = event.bytes;
  if (event.path !== undefined) state.path = event.path;
  addRates(state, nowMs);
}

function foldChunk(state: TransferState, chunk: Chunk, nowMs: number): void {
  if (chunk.state === 'started') {
    state.shardOfChunk.set(chunk.chunk, chunk.shard);
    return;
  }
  state.shardOfChunk.delete(chunk.chunk);
  state.chunksDone += 1;
  state.rawBytes += chunk.rawBytes;
  state.storedBytes += chunk.storedBytes;
  const done = state.shardDoneBytes[chunk.shard];
  if (done !== undefined) state.shardDoneBytes[chunk.shard] = done + chunk.rawBytes;
  state.storedRate.add(state.storedBytes, nowMs);
}

function etaOf(state: TransferState, nowMs: number): number | undefined {
  if (state.plan === undefined || state.phase !== 'transferring') return undefined;
  const perSecond = state.steadyRate.perSecond(nowMs);
  const left = state.plan.bytes - state.bytesDone;
  return perSecond > 0 && left > 0 ? (left / perSecond) * 1000 : undefined;
}

function thawOf({ thaw }: TransferState, nowMs: number): ThawProgress | undefined {
  if (thaw === undefined) return undefined;
  const { type: _, ...rest } = thaw;
  const readable = thaw.chunks.filter((state) => state === 'readable').length;
  return { ...rest, readable, nextLookInMs: Math.max(0, thaw.nextLookAtMs - nowMs) };
}

function shardsOf(state: TransferState): ShardProgress[] {
  const planned = state.plan?.shardBytes ?? [];
  return planned.map((plannedBytes, shard) => ({ plannedBytes, doneBytes: state.shardDoneBytes[shard] ?? 0 }));
}

/** The books as they stand at this moment, for views and reporters; later events do not change it. */
export function snapshotOf(state: TransferState, nowMs: number): TransferSnapshot {
  return {
    operation: state.start?.operation,
    source: state.start?.source ?? '',
    target: state.start?.target ?? '',
    phase: state.phase,
    isStopping: state.isStopping,
    compression: state.plan?.compression,
    filesTotal: state.plan?.files,
    bytesTotal: state.plan?.bytes,
    chunksTotal: state.plan?.chunks,
    filesFound: state.filesFound,
    bytesFound: state.bytesFound,
    filesDone: state.filesDone,
    bytesDone: state.bytesDone,
    storedBytes: state.storedBytes,
    chunksDone: state.chunksDone,
    chunksInFlight: state.shardOfChunk.size,
    retries: state.retries,
    shards: shardsOf(state),
    path: state.path,
    activeShards: [...new Set(state.shardOfChunk.values())].sort((a, b) => a - b),
    bytesPerSecond: state.rate.perSecond(nowMs),
    storedBytesPerSecond: state.storedRate.perSecond(nowMs),
    etaMs: etaOf(state, nowMs),
    ratio: state.storedBytes > 0 ? state.rawBytes / state.storedBytes : undefined,
    skippedCount: state.skippedCount,
    skipped: [...state.skipped],
    notes: [...state.notes],
    thaw: thawOf(state, nowMs),
    elapsedMs: Math.max(0, (state.endedAtMs ?? nowMs) - state.startedAtMs),
  };
}
