// Ends the work of a worker thread, from inside the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from './collect-garbage.js';

/** The message of a kept thread that waits for other work. */
export const IDLE_MESSAGE = 'rests';

export interface ThreadData {
  /** The script that it runs (src/thread.ts). */
  readonly script: string;
  readonly isKept: boolean;
}

/** Call when the work is done and nothing refers to it any more: the thread ends, or rests if it is kept. */
export function endWork(): void {
  const { isKept } = workerData as ThreadData;
  if (isKept) setImmediate(rest);
  else parentPort?.close();
}

/** Shared memory is freed only after each thread that has seen it has collected its garbage, and a resting one makes none. */
function rest(): void {
  collectGarbage();
  parentPort?.postMessage(IDLE_MESSAGE);
}
