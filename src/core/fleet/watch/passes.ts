// Passes at an interval. They never overlap: one that takes longer than the interval is followed at the next time that is due, and
// what was missed meanwhile is not made up for.
export interface Interval {
  readonly intervalMs: number;
  readonly now: () => Date;
  /** Resolves after so many ms, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** A computer that was asleep is noticed within this time. */
const SLICE_MS = 60_000;

/** Gives what each pass gives, until the signal fires. @throws what a pass throws while it has not */
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
      dueMs = Math.min(dueMs, nowMs + intervalMs); // a clock that was set back stops nothing
      await pause(Math.min(dueMs - nowMs, SLICE_MS), signal);
    }
  }
}

// It may have fired since it was looked at.
const isAborted = ({ aborted }: AbortSignal): boolean => aborted;
