// Computes when the next cycle of an agent begins. Pure: clock and randomness are arguments.

/** Share of the interval by which starts are spread, so that agents started together do not stay in step. */
const SPREAD = 0.1;
const MOST_SPREAD_MS = 300_000;
/** Wait after the first cycle in which the store could not be reached. */
const FIRST_RETRY_MS = 60_000;
/** Longest wait during an outage, unless the interval is longer. */
const SELDOM_MS = 900_000;
/** A cycle this late means that the computer was asleep. */
const LATE_MS = 60_000;

/** A request for a cycle that is older has no effect. */
const RUN_NOW_HOLDS_MS = 86_400_000;

export interface EndedCycle {
  /** Ms since 1970 by the wall clock, like all times here. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly intervalMs: number;
  /** Number of consecutive cycles, including this one, in which the store could not be reached. */
  readonly outages: number;
}

/**
 * Returns the start of the next cycle. After an outage it comes sooner than after an interval, and later with each further one, so that a
 * store that returns is neither missed nor overloaded. `random` returns a number from 0 to 1.
 */
export function nextStartMs({ startedMs, endedMs, intervalMs, outages }: EndedCycle, random: () => number): number {
  if (outages === 0) {
    const spread = Math.min(intervalMs * SPREAD, MOST_SPREAD_MS);
    return Math.max(endedMs, Math.round(startedMs + intervalMs + spread * (random() - 0.5)));
  }
  const first = Math.max(1000, Math.min(intervalMs, FIRST_RETRY_MS));
  const wait = Math.min(Math.max(intervalMs, SELDOM_MS), first * 2 ** Math.min(outages - 1, 30));
  return Math.round(endedMs + wait / 2 + (wait / 2) * random());
}

/**
 * Returns how many more ms to wait at `nowMs` when the cycle was due at `dueMs`: after sleep, a whole office of computers wakes up at once.
 */
export function catchUpMs(dueMs: number, nowMs: number, intervalMs: number, random: () => number): number {
  return nowMs - dueMs < LATE_MS ? 0 : Math.round(random() * Math.min(LATE_MS, intervalMs * SPREAD));
}

/** Returns whether `run_now` of a config that has just been accepted asks for a cycle that has not begun. A time in the future counts as now. */
export function isRunDue(runNowMs: number, lastStartMs: number, nowMs: number): boolean {
  return runNowMs > lastStartMs && nowMs - runNowMs <= RUN_NOW_HOLDS_MS;
}
