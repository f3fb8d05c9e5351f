// The worker threads of this process. Those of a service are kept: a thread that has loaded a native addon leaves memory
// behind when it ends (measured with koffi 3.3.4: docs/fleet.md), so they rest from one cycle to the next instead of ending.
import { Worker } from 'node:worker_threads';
import type { ThreadData } from './end-work.js';

/** Told the number of a thread that is about to be ended, which waits for them: profilers look at what it did. */
export const leavings = new Set<(threadId: number) => Promise<void>>();

/** Those that run, by their numbers. */
export const runningThreads = new Map<number, string>();

/** Kept ones without work, by their files. */
const resting = new Map<string, Worker[]>();
let keepers = 0;

/** Of a thread's heap; the 48 that Node allows fill with garbage before it is looked through: 25 MiB more, and no faster. */
const YOUNG_MIB = 12;

/** Whether a thread that is taken now rests after its work. */
export const keepsThreads = (): boolean => keepers > 0;

/** From now on threads are kept, until the function that it gives is called, which ends those that rest. */
export function keepThreads(): () => Promise<void> {
  keepers++;
  return async () => {
    keepers--;
    if (keepers > 0) return;
    const ending = [...resting.values()].flat();
    resting.clear();
    await Promise.all(ending.map(async (worker) => await endThread(worker)));
  };
}

/** A thread that runs the file, a rested one if there is one. @throws what keeps a thread from starting */
export function takeThread(url: URL, name: string): Worker {
  const rested = resting.get(url.href)?.pop();
  if (rested !== undefined) {
    rested.off('error', ignore);
    rested.ref();
    return rested;
  }
  const worker = new Worker(url, {
    workerData: { isKept: keepsThreads() } satisfies ThreadData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  });
  const { threadId } = worker;
  runningThreads.set(threadId, `${name} ${threadId}`);
  worker.once('exit', () => {
    runningThreads.delete(threadId);
    const others = resting.get(url.href)?.filter((other) => other !== worker);
    if (others !== undefined) resting.set(url.href, others);
  });
  return worker;
}

/** Keeps a thread that has no work, and does not hold up the end of the process. */
export function restThread(url: URL, worker: Worker): void {
  worker.on('error', ignore);
  worker.unref();
  if (keepsThreads()) resting.set(url.href, [...(resting.get(url.href) ?? []), worker]);
  else void endThread(worker);
}

/** Stops it wherever it is, after profilers have looked at it. Not while it loads native code. */
export async function endThread(worker: Worker): Promise<void> {
  await leaveThread(worker);
  await worker.terminate();
}

/** Lets profilers look at a thread that is about to end. */
export async function leaveThread(worker: Worker): Promise<void> {
  const { threadId } = worker;
  if (leavings.size === 0 || !runningThreads.has(threadId)) return;
  const told = [...leavings].map(async (leaving) => await leaving(threadId));
  await Promise.race([Promise.allSettled(told), new Promise((resolve) => worker.once('exit', resolve))]);
}

/** It had no work that could fail; it is gone, and the next one is started anew. */
function ignore(): void {}
