// Snapshots of a long operation's counters, for views and reporters.
import type { CostEvent, Operation, Outcome, RetryEvent, ThawEvent } from '../core/events/events.js';
import type { Unit } from './operations.js';
import { barBytes, type SkippedFile, type TransferPhase, type TransferState, type Waiting } from './transfer-state.js';

export interface ShardProgress {
  readonly plannedBytes: number;
  readonly doneBytes: number;
}

/** Chunks that are being restored from cold storage. */
export interface ThawProgress extends Omit<ThawEvent, 'type'> {
  readonly readable: number;
  readonly nextLookInMs: number;
}

/** A request that is being retried; of several, the one that has failed most often. */
export interface Retrying extends Pick<RetryEvent, 'request' | 'service' | 'trouble' | 'reason'> {
  /** Number of the next try, or of the one in progress. */
  readonly tryNumber: number;
  readonly maxTries: number;
  /** Milliseconds until it is sent; 0 while it is in progress. */
  readonly waitLeftMs: number;
  /** Number of requests that are being retried. */
  readonly requests: number;
}

/** A snapshot; readers get a new one at most ten times a second. */
export interface TransferSnapshot {
  /** Undefined until the operation has begun. */
  readonly operation: Operation | undefined;
  readonly source: string;
  readonly target: string;
  readonly phase: TransferPhase;
  /** The unit that is counted in this phase. */
  readonly unit: Unit;
  /** Number of plans that were made. */
  readonly plans: number;
  /** The planned cost at most; undefined when nothing costs anything, or no price is known. */
  readonly cost: Omit<CostEvent, 'type'> | undefined;
  /** Set when the user asked to stop and work in flight is being finished. */
  readonly isStopping: boolean;
  readonly compression: string | undefined;
  /** Totals are undefined until the plan is made. */
  readonly itemsTotal: number | undefined;
  readonly bytesTotal: number | undefined;
  readonly chunksTotal: number | undefined;
  /** Found so far while scanning. */
  readonly itemsFound: number;
  readonly bytesFound: number;
  /** Done of the plan. Of an upload: files that the store has, and source bytes that were sent. */
  readonly itemsDone: number;
  readonly bytesDone: number;
  /** What an upload has read so far, possibly long before it is sent; undefined for other operations. */
  readonly read: { readonly items: number; readonly bytes: number } | undefined;
  /** Number of bytes sent over the network, including retries; undefined when nothing was sent. */
  readonly wireBytes: number | undefined;
  /** Stored bytes of the finished chunks: sent by an upload, fetched by the others. */
  readonly storedBytes: number;
  readonly chunksDone: number;
  readonly chunksInFlight: number;
  readonly retries: number;
  /** Set while a request is being retried. */
  readonly retrying: Retrying | undefined;
  readonly shards: readonly ShardProgress[];
  readonly path: string | undefined;
  /** Shards with a chunk in flight, ascending. */
  readonly activeShards: readonly number[];
  readonly bytesPerSecond: number;
  readonly storedBytesPerSecond: number;
  readonly etaMs: number | undefined;
  /** Packed over stored bytes of the finished chunks. */
  readonly ratio: number | undefined;
  readonly skippedCount: number;
  /** Number of these that are stored, although they changed while they were read. */
  readonly changedCount: number;
  /** The first ten; `skippedCount` is the number of all. */
  readonly skipped: readonly SkippedFile[];
  readonly notes: readonly string[];
  /** Set while chunks are being restored from cold storage. */
  readonly thaw: ThawProgress | undefined;
  readonly elapsedMs: number;
  /** The outcome with its result. */
  readonly outcome: Outcome | undefined;
}

// Phases in which the plan is done or not made yet, so that nothing of it advances.
const WITHOUT_ETA: ReadonlySet<TransferPhase> = new Set([
  'starting',
  'scanning',
  'thawing',
  'committing',
  'finishing',
  'done',
]);

function etaOf(state: TransferState, nowMs: number): number | undefined {
  if (state.plan === undefined || WITHOUT_ETA.has(state.phase)) return undefined;
  const perSecond = state.steadyRate.perSecond(nowMs);
  const { bytes, items } = state.plan;
  const left = (bytes === 0 ? items : bytes) - barBytes(state);
  return perSecond > 0 && left > 0 ? (left / perSecond) * 1000 : undefined;
}

function thawOf({ thaw }: TransferState, nowMs: number): ThawProgress | undefined {
  if (thaw === undefined) return undefined;
  const { type: _, ...rest } = thaw;
  const readable = thaw.chunks.filter((state) => state === 'readable').length;
  return { ...rest, readable, nextLookInMs: Math.max(0, thaw.nextLookAtMs - nowMs) };
}

function retryingOf({ waiting }: TransferState, nowMs: number): Retrying | undefined {
  const worst = [...waiting.values()].reduce<Waiting | undefined>(
    (most, one) => (most === undefined || one.attempt > most.attempt ? one : most),
    undefined,
  );
  if (worst === undefined) return undefined;
  const { request, service, trouble, reason, attempt, maxAttempts, nextAtMs } = worst;
  const waitLeftMs = Math.max(0, nextAtMs - nowMs);
  const tries = { tryNumber: attempt + 1, maxTries: maxAttempts, waitLeftMs, requests: waiting.size };
  return { request, service, trouble, reason, ...tries };
}

function shardsOf(state: TransferState): ShardProgress[] {
  const planned = state.plan?.shardBytes ?? [];
  return planned.map((plannedBytes, shard) => ({ plannedBytes, doneBytes: state.shardDoneBytes[shard] ?? 0 }));
}

/** A snapshot of the counters at this moment; later events do not change it. */
export function snapshotOf(state: TransferState, nowMs: number): TransferSnapshot {
  return {
    operation: state.start?.operation,
    source: state.start?.source ?? '',
    target: state.start?.target ?? '',
    phase: state.phase,
    unit: state.unit,
    plans: state.plans,
    cost: state.cost,
    isStopping: state.isStopping,
    compression: state.plan?.compression,
    itemsTotal: state.plan?.items,
    // Files may have grown since they were planned.
    bytesTotal: state.plan && Math.max(state.plan.bytes, state.bytesDone),
    chunksTotal: state.plan?.chunks,
    itemsFound: state.itemsFound,
    bytesFound: state.bytesFound,
    itemsDone: state.itemsDone,
    bytesDone: state.bytesDone,
    read: state.read,
    wireBytes: state.wireBytes,
    storedBytes: state.storedBytes,
    chunksDone: state.chunksDone,
    chunksInFlight: state.shardOfChunk.size,
    retries: state.retries,
    retrying: retryingOf(state, nowMs),
    shards: shardsOf(state),
    path: state.path,
    activeShards: [...new Set(state.shardOfChunk.values())].sort((a, b) => a - b),
    bytesPerSecond: state.rate.perSecond(nowMs),
    storedBytesPerSecond: state.storedRate.perSecond(nowMs),
    etaMs: etaOf(state, nowMs),
    ratio: state.storedBytes > 0 ? state.rawBytes / state.storedBytes : undefined,
    skippedCount: state.skippedCount,
    changedCount: state.changedCount,
    skipped: [...state.skipped],
    notes: [...state.notes],
    thaw: thawOf(state, nowMs),
    elapsedMs: Math.max(0, (state.endedAtMs ?? nowMs) - state.startedAtMs),
    outcome: state.outcome,
  };
}
