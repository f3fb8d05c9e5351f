// Waiting by the wall clock. Timers stand still while a computer sleeps, so that it is looked at again and again.

/** What an agent has of time. Tests have their own. */
export interface AgentClock {
  readonly now: () => Date;
  /** Resolves after `ms`, or when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

const STEP_MS = 30_000;

/** Resolves once the wall clock shows `dueMs`, or as much time has passed where it was set back; sooner when aborted. */
export async function waitUntil(dueMs: number, { now, sleep }: AgentClock, signal: AbortSignal): Promise<void> {
  let leftMs = dueMs - now().getTime();
  while (leftMs > 0 && !signal.aborted) {
    const stepMs = Math.min(leftMs, STEP_MS);
    await sleep(stepMs, signal);
    leftMs = Math.min(leftMs - stepMs, dueMs - now().getTime());
  }
}
