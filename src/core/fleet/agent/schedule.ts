// When the next cycle of an agent begins. Pure: the clock and the chance are arguments.

/** Many agents that were started together must not come together for ever. */
const SPREAD = 0.1;
const MOST_SPREAD_MS = 300_000;
/** Wait after the first cycle in which the store could not be reached. */
const FIRST_RETRY_MS = 60_000;
/** However short the interval is, a store that is down is asked this seldom in the end. */
const SELDOM_MS = 900_000;
/** Who is later than this was asleep. */
const LATE_MS = 60_000;

export interface EndedCycle {
  /** Ms since 1970, by the wall clock, as all times here. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly intervalMs: number;
  /** Cycles in a row in which the store could not be reached, this one included. */
  readonly outages: number;
}

/**
 * When the next one begins. After an outage sooner than after an interval, and later with each that follows, so that a store
 * which comes back is neither missed nor stormed. `random` gives a number from 0 to 1.
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

/** How long to wait more, ms, where it is `now` and the cycle was due at `dueMs`: a whole office wakes up at once. */
export function catchUpMs(dueMs: number, nowMs: number, intervalMs: number, random: () => number): number {
  return nowMs - dueMs < LATE_MS ? 0 : Math.round(random() * Math.min(LATE_MS, intervalMs * SPREAD));
}
