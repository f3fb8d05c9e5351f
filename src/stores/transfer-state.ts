// Counters of one long operation, updated by events. They are mutable on purpose: an event costs no allocation, and only the store's ten
// snapshots a second do.
import { CHANGED } from '../core/archive/scan/skip.js';
import type {
  CostEvent,
  Outcome,
  Phase,
  PlanEvent,
  RetryEvent,
  ThawEvent,
  TransferEvent,
} from '../core/events/events.js';
import { OPERATIONS, type Unit } from './operations.js';
import { createRateEstimator, type RateEstimator } from './rate-estimator.js';

export type TransferPhase = Phase | 'starting' | 'thawing' | 'done';

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** Number of skipped files that a snapshot lists. */
export const SKIPPED_SHOWN = 10;

const RATE_WINDOW_MS = 10_000;
// The time left would jump about if it followed the speed of the last seconds.
const ETA_WINDOW_MS = 60_000;

/** A request that waits for its retry, or is being retried. */
export type Waiting = RetryEvent & { readonly nextAtMs: number };

export interface TransferState {
  start: Event<'start'> | undefined;
  plan: PlanEvent | undefined;
  plans: number;
  cost: CostEvent | undefined;
  phase: TransferPhase;
  unit: Unit;
  isStopping: boolean;
  startedAtMs: number;
  endedAtMs: number | undefined;
  itemsFound: number;
  bytesFound: number;
  itemsDone: number;
  bytesDone: number;
  /** What was read so far, when `itemsDone` and `bytesDone` are what was sent. */
  read: { readonly items: number; readonly bytes: number } | undefined;
  wireBytes: number | undefined;
  rawBytes: number;
  storedBytes: number;
  chunksDone: number;
  readonly shardOfChunk: Map<number, number>;
  shardDoneBytes: number[];
  retries: number;
  /** Waiting requests, by request. */
  readonly waiting: Map<string, Waiting>;
  path: string | undefined;
  skippedCount: number;
  /** Number of these that are stored, although they changed while they were read. */
  changedCount: number;
  readonly skipped: SkippedFile[];
  readonly notes: string[];
  thaw: ThawEvent | undefined;
  readonly rate: RateEstimator;
  readonly steadyRate: RateEstimator;
  readonly storedRate: RateEstimator;
  outcome: Outcome | undefined;
}

/** Fresh counters, started at this moment. */
export function createTransferState(nowMs: number): TransferState {
  return {
    start: undefined,
    plan: undefined,
    plans: 0,
    cost: undefined,
    phase: 'starting',
    unit: 'file',
    isStopping: false,
    startedAtMs: nowMs,
    endedAtMs: undefined,
    itemsFound: 0,
    bytesFound: 0,
    itemsDone: 0,
    bytesDone: 0,
    read: undefined,
    wireBytes: undefined,
    rawBytes: 0,
    storedBytes: 0,
    chunksDone: 0,
    shardOfChunk: new Map(),
    shardDoneBytes: [],
    retries: 0,
    waiting: new Map(),
    path: undefined,
    skippedCount: 0,
    changedCount: 0,
    skipped: [],
    notes: [],
    thaw: undefined,
    rate: createRateEstimator(RATE_WINDOW_MS),
    steadyRate: createRateEstimator(ETA_WINDOW_MS),
    storedRate: createRateEstimator(RATE_WINDOW_MS),
    outcome: undefined,
  };
}

type Event<T extends TransferEvent['type']> = Extract<TransferEvent, { type: T }>;

const FOLDS: { readonly [T in TransferEvent['type']]: (state: TransferState, event: Event<T>, nowMs: number) => void } =
  {
    start(state, event, nowMs) {
      state.start = event;
      state.unit = OPERATIONS[event.operation].unit;
      state.startedAtMs = nowMs;
      if (OPERATIONS[event.operation].isSending === true) state.read = { items: 0, bytes: 0 };
    },
    phase(state, { phase }) {
      state.phase = phase;
      state.unit = unitIn(phase, state);
    },
    step: () => undefined,
    scan(state, { items, bytes }) {
      state.itemsFound = items;
      state.bytesFound = bytes;
    },
    plan: foldPlan,
    cost: (state, event) => void (state.cost = event),
    progress: foldProgress,
    chunk: foldChunk,
    sent(state, { items, bytes, storedBytes }, nowMs) {
      state.itemsDone = items;
      state.bytesDone = bytes;
      state.wireBytes = storedBytes;
      state.storedRate.add(storedBytes, nowMs);
      state.steadyRate.add(barBytes(state), nowMs);
    },
    retry(state, event, nowMs) {
      state.retries += 1;
      state.waiting.set(event.request, { ...event, nextAtMs: nowMs + event.waitMs });
    },
    settled: (state, { request }) => void state.waiting.delete(request),
    skip(state, { path, reason }) {
      state.skippedCount += 1;
      if (reason === CHANGED) state.changedCount += 1;
      if (state.skipped.length < SKIPPED_SHOWN) state.skipped.push({ path, reason });
    },
    note: (state, { text }) => void state.notes.push(text),
    thaw(state, event) {
      state.thaw = event;
      state.phase = 'thawing';
    },
    end(state, { outcome }, nowMs) {
      state.outcome = outcome;
      if (outcome.status === 'done') state.phase = 'done';
      state.endedAtMs = nowMs;
      state.waiting.clear();
    },
  };

/** Applies one event to the counters. */
export function applyEvent<T extends TransferEvent['type']>(
  state: TransferState,
  event: Event<T>,
  nowMs: number,
): void {
  const fold: (typeof FOLDS)[T] = FOLDS[event.type];
  fold(state, event, nowMs);
}

/** The unit of a phase. A phase that counts nothing keeps the unit of the last count. */
function unitIn(phase: Phase, { start, unit }: TransferState): Unit {
  if (start === undefined || phase === 'committing' || phase === 'finishing') return unit;
  const kind = OPERATIONS[start.operation];
  return kind.phases[phase]?.unit ?? kind.unit;
}

function foldPlan(state: TransferState, plan: PlanEvent, nowMs: number): void {
  state.plan = plan;
  state.plans += 1;
  state.thaw = undefined;
  state.itemsDone = 0;
  state.bytesDone = 0;
  if (state.read !== undefined) state.read = { items: 0, bytes: 0 };
  state.shardDoneBytes = (plan.shardBytes ?? []).map(() => 0);
  // The scan is over: rates count from here, or the first minute would average in the time spent scanning.
  addRates(state, nowMs);
  if (state.wireBytes === undefined) state.storedRate.add(state.storedBytes, nowMs);
}

function addRates(state: TransferState, nowMs: number): void {
  state.rate.add((state.read ?? { bytes: state.bytesDone }).bytes, nowMs);
  state.steadyRate.add(barBytes(state), nowMs);
}

/** The amount that the bar and the time left are based on: bytes, or items when there are no bytes. */
export const barBytes = ({ plan, itemsDone, bytesDone }: TransferState): number =>
  plan?.bytes === 0 ? itemsDone : bytesDone;

function foldProgress(state: TransferState, event: Event<'progress'>, nowMs: number): void {
  const { items, bytes } = event;
  if (state.read === undefined) [state.itemsDone, state.bytesDone] = [items, bytes];
  else state.read = { items, bytes };
  if (event.path !== undefined) state.path = event.path;
  addRates(state, nowMs);
}

function foldChunk(state: TransferState, chunk: Event<'chunk'>, nowMs: number): void {
  if (chunk.state === 'started') {
    state.shardOfChunk.set(chunk.chunk, chunk.shard);
    return;
  }
  if (chunk.state === 'packed') return;
  state.shardOfChunk.delete(chunk.chunk);
  state.chunksDone += 1;
  state.rawBytes += chunk.rawBytes;
  state.storedBytes += chunk.storedBytes;
  const done = state.shardDoneBytes[chunk.shard];
  if (done !== undefined) state.shardDoneBytes[chunk.shard] = done + chunk.rawBytes;
  if (state.wireBytes === undefined) state.storedRate.add(state.storedBytes, nowMs);
}
