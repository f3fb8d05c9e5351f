// The worker threads of this process. Those of a service are kept: a thread that has loaded a native addon leaks memory when it ends
// (measured with koffi 3.3.4: docs/fleet.md), so they rest between cycles instead of ending.
import { Worker } from 'node:worker_threads';
import type { ThreadData } from './end-work.js';

/** Called with the number of a thread that is about to end, which waits for them, so that profilers can collect its samples. */
export const threadExitHooks = new Set<(threadId: number) => Promise<void>>();

/** Names of the running threads, by number. */
export const runningThreads = new Map<number, string>();

/** Kept threads without work, by what they run. */
const resting = new Map<string, Worker[]>();
let keepers = 0;

/** Young generation of a thread's heap. Node's 48 would fill with garbage before being collected: 25 MiB more, and no faster. */
const YOUNG_MIB = 12;

/** True when a thread taken now will rest after its work. */
export const isRetainingThreads = (): boolean => keepers > 0;

/** Keeps threads from now on, until the returned function is called, which ends the resting ones. */
export function retainThreads(): () => Promise<void> {
  keepers++;
  return async () => {
    keepers--;
    if (keepers > 0) return;
    const ending = [...resting.values()].flat();
    resting.clear();
    await Promise.all(ending.map(async (worker) => await endThread(worker)));
  };
}

/** What a thread runs: a file, which is told what it is for. */
export interface ThreadCode {
  readonly url: URL;
  readonly name: string;
}

const keyOf = ({ url, name }: ThreadCode): string => `${name} ${url.href}`;

/** Returns a thread that runs the code, reusing a resting one if possible. @throws what keeps a thread from starting */
export function acquireThread(code: ThreadCode): Worker {
  const { url, name } = code;
  const rested = resting.get(keyOf(code))?.pop();
  if (rested !== undefined) {
    rested.off('error', ignore);
    rested.ref();
    return rested;
  }
  const worker = new Worker(url, {
    workerData: { script: name, isKept: isRetainingThreads() } satisfies ThreadData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  });
  const { threadId } = worker;
  runningThreads.set(threadId, `${name} ${threadId}`);
  worker.once('exit', () => {
    runningThreads.delete(threadId);
    const others = resting.get(keyOf(code))?.filter((other) => other !== worker);
    if (others !== undefined) resting.set(keyOf(code), others);
  });
  return worker;
}

/** Keeps a thread without work, which does not keep the process alive. */
export function releaseThread(code: ThreadCode, worker: Worker): void {
  worker.on('error', ignore);
  worker.unref();
  if (isRetainingThreads()) resting.set(keyOf(code), [...(resting.get(keyOf(code)) ?? []), worker]);
  else void endThread(worker);
}

/** Stops a thread wherever it is, after profilers have collected its samples. Must not be called while it loads native code. */
export async function endThread(worker: Worker): Promise<void> {
  await runThreadExitHooks(worker);
  await worker.terminate();
}

/** Lets profilers collect the samples of a thread that is about to end. */
export async function runThreadExitHooks(worker: Worker): Promise<void> {
  const { threadId } = worker;
  if (threadExitHooks.size === 0 || !runningThreads.has(threadId)) return;
  const told = [...threadExitHooks].map(async (leaving) => await leaving(threadId));
  await Promise.race([Promise.allSettled(told), new Promise((resolve) => worker.once('exit', resolve))]);
}

/** A resting thread has no work that could fail; when it is gone, the next one is started afresh. */
function ignore(): void {}
