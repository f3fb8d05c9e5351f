// Unpack workers, started before there is work: a thread needs a tenth of a second to be ready, and the manifest is read
// meanwhile.
import { cpus } from 'node:os';
import { readPlan } from '../../platform/limits/memory-plan.js';
import { threadsWithin } from '../../platform/limits/open-files.js';
import { UnpackWorkerHandle } from './unpack-worker-handle.js';

const MAX_WORKERS = 8;

/** Number of workers where there is work for all, and memory. `limitBytes` is `--memory-limit`. */
export const workerCount = (limitBytes: number | undefined): number =>
  readPlan(limitBytes, threadsWithin(Math.min(cpus().length, MAX_WORKERS))).workers;

export class WorkerPool {
  private readonly workers: UnpackWorkerHandle[] = [];

  constructor(startNow: number) {
    this.grow(startNow);
  }

  private grow(count: number): void {
    while (this.workers.length < count) this.workers.push(new UnpackWorkerHandle());
  }

  /** Returns this many workers, those that run already first. With little to do and none running, it is one that needs no thread. */
  take(count: number, isLittle = false): readonly UnpackWorkerHandle[] {
    if (isLittle && this.workers.length === 0) this.workers.push(new UnpackWorkerHandle('here'));
    else this.grow(count);
    return this.workers.slice(0, count);
  }

  /** Ends all workers; incomplete files are dropped. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
  }
}
