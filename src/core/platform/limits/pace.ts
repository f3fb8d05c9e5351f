// A token bucket: a number of bytes per second, and never more than one second's worth at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { type RateLimit, rateAt, type Timetable } from './timetable.js';

/** Waits until this many bytes may pass. Rejects when the signal fires. */
export type Pace = (bytes: number, signal?: AbortSignal) => Promise<void>;

/** Paced data passes in pieces of this size, so that slow limits stay smooth. */
export const PACED_SLICE_BYTES = 16 * 1024;

export interface Clock {
  /** Milliseconds; only differences matter. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  /** The time of day, for timetables. */
  readonly date?: () => Date;
}

const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
};

/** Makes a limiter that is shared by all callers of the function. A request larger than the rate waits for its own bytes. */
export const createPace = (limit: RateLimit, clock: Clock = systemClock): Pace =>
  typeof limit === 'number' ? steadyPace(limit, clock) : changingPace(limit, clock);

function steadyPace(bytesPerSecond: number, clock: Clock): Pace {
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

/** The clock may be set, and a change comes in the middle of a wait: the rate is looked up again after each second. */
const LOOK_MS = 1000;

function changingPace(timetable: Timetable, { now, sleep: wait, date = () => new Date() }: Clock): Pace {
  /** Bytes that may pass at once, those of a second at most. */
  let credit = 0;
  let countedAt = now();
  /** The rate since then. */
  let since: number | null = null;
  const pass = async (bytes: number, signal: AbortSignal | undefined): Promise<void> => {
    for (let left = bytes; ;) {
      signal?.throwIfAborted();
      const rate = rateAt(timetable, date());
      const passedMs = now() - countedAt;
      countedAt += passedMs;
      credit = rate === null ? 0 : Math.min(rate, credit + (passedMs / 1000) * (since ?? 0));
      since = rate;
      if (rate === null) return;
      const taken = Math.min(left, credit);
      left -= taken;
      credit -= taken;
      if (left <= 0) return;
      await wait(Math.min(LOOK_MS, Math.ceil((left / rate) * 1000)), signal);
    }
  };
  // One after another, so that a change of the rate holds for all who wait.
  let last: Promise<unknown> = Promise.resolve();
  return async (bytes, signal) => {
    const before = last;
    const own = (async () => {
      await before;
      await pass(bytes, signal);
    })();
    last = own.catch(() => undefined);
    await untilAborted(own, signal);
  };
}

/** Settles with `work`, or rejects when the signal fires before. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work;
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
