// A token bucket: a number of bytes per second, and never more than one second's worth at once.
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until this many bytes may pass. Rejects when the signal fires. */
export type Pace = (bytes: number, signal?: AbortSignal) => Promise<void>;

/** Paced data passes in pieces of this size, so that slow limits stay smooth. */
export const PACED_SLICE_BYTES = 16 * 1024;

export interface Clock {
  /** Milliseconds; only differences matter. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
};

/** Makes a limiter that is shared by all callers of the function. A request larger than the rate waits for its own bytes. */
export function createPace(bytesPerSecond: number, clock: Clock = systemClock): Pace {
  // The time until which everything admitted is paid for; at most one second in the past.
  let paidUntil = clock.now();
  return async (bytes, signal) => {
    const now = clock.now();
    const costMs = (bytes / bytesPerSecond) * 1000;
    paidUntil = Math.max(paidUntil, now - 1000) + costMs;
    const waitMs = paidUntil - now;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  };
}
