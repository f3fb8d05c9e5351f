// What is known of a long operation now: the books at one moment, for views and reporters.
import type { CostEvent, Operation, Outcome, RetryEvent, ThawEvent } from '../core/events/events.js';
import type { Unit } from './operations.js';
import {
  barBytes,
  isSending,
  sentBytes,
  type SkippedFile,
  type TransferPhase,
  type TransferState,
  type Waiting,
} from './transfer-state.js';

export interface ShardProgress {
  readonly plannedBytes: number;
  readonly doneBytes: number;
}

/** Chunks that come back from cold storage. */
export interface ThawProgress extends Omit<ThawEvent, 'type'> {
  readonly readable: number;
  readonly nextLookInMs: number;
}

/** A request that is being sent again; of several, the one that has failed most often. */
export interface Retrying extends Pick<RetryEvent, 'request' | 'service' | 'trouble' | 'reason'> {
  /** The one that comes next, or is going on. */
  readonly tryNumber: number;
  readonly maxTries: number;
  /** Until it is sent; 0 while it is. */
  readonly waitLeftMs: number;
  /** How many requests are being sent again. */
  readonly requests: number;
}

/** What is known now; readers get a new one ten times a second at most. */
export interface TransferSnapshot {
  /** Undefined until the operation has begun. */
  readonly operation: Operation | undefined;
  readonly source: string;
  readonly target: string;
  readonly phase: TransferPhase;
  /** What is counted in this phase. */
  readonly unit: Unit;
  /** How often a plan was made. */
  readonly plans: number;
  /** What is planned costs at most; undefined where nothing does, or no price is known. */
  readonly cost: Omit<CostEvent, 'type'> | undefined;
  /** The user asked to stop; what is in flight is being finished. */
  readonly isStopping: boolean;
  readonly compression: string | undefined;
  /** Totals are undefined until the plan is made. */
  readonly itemsTotal: number | undefined;
  readonly bytesTotal: number | undefined;
  readonly chunksTotal: number | undefined;
  /** Found so far while scanning. */
  readonly itemsFound: number;
  readonly bytesFound: number;
  readonly itemsDone: number;
  readonly bytesDone: number;
  /** Of the source bytes, those that have left for the store; undefined where nothing is sent. */
  readonly bytesSent: number | undefined;
  /** What went over the wire, repetitions included; undefined where nothing was sent. */
  readonly wireBytes: number | undefined;
  /** Stored bytes of the finished chunks: sent by an upload, fetched by the others. */
  readonly storedBytes: number;
  readonly chunksDone: number;
  readonly chunksInFlight: number;
  readonly retries: number;
  /** While a request is being sent again. */
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
  /** Of these: stored, although they changed while they were read. */
  readonly changedCount: number;
  /** The first ten; `skippedCount` says how many there are. */
  readonly skipped: readonly SkippedFile[];
  readonly notes: readonly string[];
  /** While that is waited for. */
  readonly thaw: ThawProgress | undefined;
  readonly elapsedMs: number;
  /** How it ended, and with which result. */
  readonly outcome: Outcome | undefined;
}

// Then the plan is done or not made yet, and nothing of it moves.
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

/** The books as they stand at this moment, for views and reporters; later events do not change it. */
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
    bytesTotal: state.plan?.bytes,
    chunksTotal: state.plan?.chunks,
    itemsFound: state.itemsFound,
    bytesFound: state.bytesFound,
    itemsDone: state.itemsDone,
    bytesDone: state.bytesDone,
    bytesSent: isSending(state) ? sentBytes(state) : undefined,
    wireBytes: state.sent?.storedBytes,
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
