// A worker thread's side of the end of its work.
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from './collect-garbage.js';

/** What a kept thread says when it waits for other work. */
export const RESTS = 'rests';

export interface ThreadData {
  readonly isKept: boolean;
}

/** The work of this thread is done, and nothing of it is referred to: the thread ends, or rests where it is kept. */
export function endWork(): void {
  const { isKept } = workerData as ThreadData;
  if (isKept) setImmediate(rest);
  else parentPort?.close();
}

/** Shared memory is freed when each thread that has seen it collected its garbage, and one that rests makes none. */
function rest(): void {
  collectGarbage();
  parentPort?.postMessage(RESTS);
}
