// How far a plan is, by what lies in the store: results of its parts, and the objects of attempts. Ages are those of the store's clock.
import type { ObjectStore } from '../../store/object-store.js';
import { findAttempts, type FoundAttempt, type KnownAttempts } from './attempts.js';
import { type PlanState, planState } from './plan-state.js';
import type { ReadPlan } from './read-plan.js';

/** An attempt that has stored nothing for so long is late, and after the second dead. */
const LATE_MS = 600_000;
const DEAD_MS = 3_600_000;

/** `late`: its attempt has stored nothing for ten minutes, `dead`: for an hour. */
export type PartState = 'done' | 'running' | 'late' | 'dead' | 'notBegun';

/** The states in words, in the order in which they are told. */
export const PART_WORDS: Readonly<Record<PartState, string>> = {
  done: 'done',
  running: 'running',
  late: 'late',
  dead: 'dead',
  notBegun: 'not begun',
};
const STATES = ['done', 'running', 'late', 'dead', 'notBegun'] as const satisfies readonly PartState[];

export interface PartStatus {
  readonly part: number;
  readonly state: PartState;
  readonly files: number;
  readonly bytes: number;
  /** Its last attempt; undefined if nobody has begun it. */
  readonly attempt: FoundAttempt | undefined;
}

export interface PlanStatus extends Pick<PlanState, 'isCommitted'> {
  readonly parts: readonly PartStatus[];
  /** Of files in all parts: one with several names counts once in each. */
  readonly bytes: number;
  /** Of files in parts that are done. */
  readonly bytesDone: number;
  /** Stored by all attempts. */
  readonly storedBytes: number;
  /** Of files, by the parts that are done; undefined if none is. */
  readonly bytesPerSecond: number | undefined;
  readonly etaMs: number | undefined;
}

export interface StatusOptions {
  /** What was read of attempts before; takes what is read now. */
  readonly known?: KnownAttempts;
  /** The time by the store's clock, if that is known: otherwise it is asked for. */
  readonly time?: Date | undefined;
}

/**
 * Looks how far a plan is. Four LISTs, and a GET for each attempt that is not known and each version since the plan.
 * @throws as {@link planState}
 */
export async function planStatus(
  store: ObjectStore,
  plan: ReadPlan,
  signal: AbortSignal,
  { known, time }: StatusOptions = {},
): Promise<PlanStatus> {
  const { uploadId, head } = plan;
  const { missing, isCommitted } = await planState(store, plan, signal);
  const undone = new Set(missing);
  const attempts = await findAttempts(store, uploadId, signal, known);
  const nowMs = (time ?? (await store.time(signal))).getTime();
  const last = new Map<number, FoundAttempt>();
  for (const attempt of attempts) {
    const before = last.get(attempt.part);
    if (before === undefined || attempt.newestMs >= before.newestMs) last.set(attempt.part, attempt);
  }
  const parts = head.parts.map(({ part, files, bytes }): PartStatus => {
    const attempt = last.get(part);
    return { part, files, bytes, attempt, state: undone.has(part) ? stateOf(attempt, nowMs) : 'done' };
  });
  const sum = (isWanted: (part: PartStatus) => boolean): number =>
    parts.reduce((total, part) => (isWanted(part) ? total + part.bytes : total), 0);
  const bytesDone = sum(({ state }) => state === 'done');
  const rate = rateOf(parts, bytesDone, nowMs);
  const etaMs = rate === undefined ? undefined : Math.round((sum(({ state }) => state !== 'done') / rate) * 1000);
  const storedBytes = attempts.reduce((total, one) => total + one.storedBytes, 0);
  return { parts, bytes: sum(() => true), bytesDone, storedBytes, bytesPerSecond: rate, etaMs, isCommitted };
}

function stateOf(attempt: FoundAttempt | undefined, nowMs: number): PartState {
  if (attempt === undefined) return 'notBegun';
  const idleMs = nowMs - attempt.newestMs;
  if (idleMs < LATE_MS) return 'running';
  return idleMs < DEAD_MS ? 'late' : 'dead';
}

/** Bytes of files each second, from the first attempt on until now, or until the last part was done. */
function rateOf(parts: readonly PartStatus[], bytesDone: number, nowMs: number): number | undefined {
  const begun = parts.flatMap(({ attempt }) => (attempt === undefined ? [] : [attempt]));
  const isOver = parts.every(({ state }) => state === 'done');
  const untilMs = isOver ? Math.max(...begun.map(({ newestMs }) => newestMs)) : nowMs;
  const sinceMs = begun.reduce((least, { begunMs }) => Math.min(least, begunMs), untilMs);
  if (bytesDone === 0 || untilMs <= sinceMs) return undefined;
  return Math.max(1, Math.round((bytesDone / (untilMs - sinceMs)) * 1000));
}

/** Numbers of the parts in a state. */
export const partsIn = ({ parts }: PlanStatus, ...states: readonly PartState[]): readonly number[] =>
  parts.flatMap(({ part, state }) => (states.includes(state) ? [part] : []));

/** How many parts are in each state; none that no part is in. */
export const stateCounts = (status: PlanStatus): readonly (readonly [PartState, number])[] =>
  STATES.map((state) => [state, partsIn(status, state).length] as const).filter(([, count]) => count > 0);

/** The state of a plan: that of the part which is nearest to its end, of those that are not done. */
export const stateOfPlan = ({ parts }: PlanStatus): PartState =>
  STATES.find((state) => state !== 'done' && parts.some((part) => part.state === state)) ?? 'done';
