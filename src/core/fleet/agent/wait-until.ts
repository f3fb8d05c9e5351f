// Waits by the wall clock. Timers stop while a computer sleeps, so the clock is checked repeatedly.

/** The clock of an agent; tests pass their own. */
export interface AgentClock {
  readonly now: () => Date;
  /** Resolves after `ms`, or when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

const STEP_MS = 30_000;

/** Something to do from time to time while waiting. */
export interface Meanwhile {
  readonly everyMs: number;
  /** Returns true to end the waiting. */
  readonly look: () => Promise<boolean>;
}

/**
 * Resolves when the wall clock reaches `dueMs`, or after as much time if the clock was set back; sooner when aborted. Returns true when a
 * look has ended it.
 */
export async function waitUntil(
  dueMs: number,
  { now, sleep }: AgentClock,
  signal: AbortSignal,
  meanwhile?: Meanwhile,
): Promise<boolean> {
  let sinceLookMs = 0;
  let leftMs = dueMs - now().getTime();
  while (leftMs > 0 && !signal.aborted) {
    const stepMs = Math.min(leftMs, STEP_MS);
    await sleep(stepMs, signal);
    leftMs = Math.min(leftMs - stepMs, dueMs - now().getTime());
    sinceLookMs += stepMs;
    if (meanwhile === undefined || sinceLookMs < meanwhile.everyMs || leftMs <= 0 || signal.aborted) continue;
    if (await meanwhile.look()) return true;
    sinceLookMs = 0;
  }
  return false;
}
