// Loaded before each test file: threads rest between the runs of tests instead of ending, as those of an agent do. Starting one costs some
// 50 ms of CPU, and the suite would start thousands. Programs that tests start as processes end theirs, as ever.
import { onTestFinished } from 'vitest';
import { isRetainingThreads, retainThreads } from '../../src/core/platform/threads/threads.js';

/** Kept beside the modules: this one is loaded anew for each file, the threads stay with the process. */
const kept = globalThis as { endTestThreads?: () => Promise<void> };

function keepThreads(): void {
  if (!isRetainingThreads()) kept.endTestThreads = retainThreads();
}

/** For tests of how threads begin and end: they end with their run, as those of a command, until the test has finished. */
export async function letThreadsEnd(): Promise<void> {
  await kept.endTestThreads?.();
  onTestFinished(keepThreads);
}

keepThreads();
