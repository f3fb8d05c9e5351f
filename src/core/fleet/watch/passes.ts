// Runs passes at an interval. They never overlap: after one that takes longer than the interval, the next starts at the next due time, and
// missed ones are not made up for.
export interface Interval {
  readonly intervalMs: number;
  readonly now: () => Date;
  /** Resolves after `ms`, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Longest pause, so that the end of a computer's sleep is noticed within this time. */
const SLICE_MS = 60_000;

/** Yields the result of each pass, until the signal fires. @throws what a pass throws before that */
export async function* atIntervals<T>(
  { intervalMs, now, pause, signal }: Interval,
  pass: () => Promise<T>,
): AsyncGenerator<T> {
  let dueMs = now().getTime();
  while (!signal.aborted) {
    let made: T;
    try {
      made = await pass();
    } catch (error) {
      if (isAborted(signal)) return;
      throw error;
    }
    yield made;
    dueMs += intervalMs * Math.max(1, Math.ceil((now().getTime() - dueMs) / intervalMs));
    for (let nowMs = now().getTime(); dueMs > nowMs && !isAborted(signal); nowMs = now().getTime()) {
      dueMs = Math.min(dueMs, nowMs + intervalMs); // a clock that was set back does not stop the passes
      await pause(Math.min(dueMs - nowMs, SLICE_MS), signal);
    }
  }
}

// A function, because the signal may have fired since the last check.
const isAborted = ({ aborted }: AbortSignal): boolean => aborted;
