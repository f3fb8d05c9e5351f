// The worker threads that pack, seen from the main thread: start early, `open` with what the scan found, then `pack`.
// Output buffers are shared memory: they are reused, never copied, and never make a garbage collector run (transferred
// buffers did, for a tenth of the time).
import { Worker } from 'node:worker_threads';
import { ArchiverError, integrityError } from '../../errors.js';
import { workerUrl } from '../../worker-url.js';
import type { ChunkJob } from '../plan/chunk-plan.js';
import type { EntryTableData } from '../scan/entry-table.js';
import type { PackedChunk } from './pack-chunk.js';
import { PROGRESS, type PackSettings } from './pack-context.js';
import type { PackMessage, PackReply } from './pack-worker.js';

export interface PackProgress {
  readonly files: number;
  readonly bytes: number;
  /** Position of an entry being packed. */
  readonly current: number;
}

interface Waiting {
  readonly resolve: (chunk: PackedChunk) => void;
  readonly reject: (error: Error) => void;
}

export class PackPool {
  private readonly workers: Worker[];
  private readonly ended: Promise<void>[] = [];
  private readonly counters: Float64Array[] = [];
  private readonly waiting = new Map<Worker, Waiting>();
  private failure: Error | undefined;

  constructor(readonly size: number) {
    this.workers = Array.from({ length: size }, () => this.start());
  }

  private start(): Worker {
    const worker = new Worker(workerUrl('pack-worker'));
    worker.on('message', (reply: PackReply) => this.settle(worker, reply));
    worker.on('error', (error) => this.fail(worker, error));
    this.ended.push(new Promise((resolve) => void worker.once('exit', () => resolve())));
    worker.on('exit', (code) => {
      if (this.waiting.has(worker)) this.fail(worker, new Error(`a packing thread ended with status ${code}`));
    });
    return worker;
  }

  /** Hands every worker the table and settings. */
  open(table: EntryTableData, settings: PackSettings): void {
    for (const worker of this.workers) {
      const progress = new SharedArrayBuffer(Object.keys(PROGRESS).length * 8);
      this.counters.push(new Float64Array(progress));
      worker.postMessage({ type: 'open', table, settings, progress } satisfies PackMessage);
    }
  }

  /** Packs one chunk on worker number `worker`, which must be idle. */
  pack(worker: number, job: ChunkJob, output: SharedArrayBuffer): Promise<PackedChunk> {
    const thread = this.workers[worker];
    if (thread === undefined) throw new ArchiverError('internal', `no packing thread ${worker}`);
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure);
        return;
      }
      this.waiting.set(thread, { resolve, reject });
      thread.postMessage({ type: 'pack', job, output } satisfies PackMessage);
    });
  }

  progress(): PackProgress {
    let files = 0;
    let bytes = 0;
    let current = 0;
    for (const counter of this.counters) {
      files += counter[PROGRESS.files] ?? 0;
      bytes += counter[PROGRESS.bytes] ?? 0;
      current = Math.max(current, counter[PROGRESS.current] ?? 0);
    }
    return { files, bytes, current };
  }

  /**
   * Ends the threads, each when it is idle. They are asked and not terminated: a thread that is stopped while it loads a
   * native addon takes the whole process down (napi_throw is fatal there).
   */
  async close(): Promise<void> {
    for (const worker of this.workers) worker.postMessage({ type: 'close' } satisfies PackMessage);
    await Promise.all(this.ended);
  }

  private settle(worker: Worker, reply: PackReply): void {
    const waiting = this.waiting.get(worker);
    this.waiting.delete(worker);
    if (reply.type === 'packed') {
      waiting?.resolve({ ...reply.chunk, output: Buffer.from(reply.output, reply.start) });
      return;
    }
    const error = reply.integrity ? integrityError(reply.message) : new ArchiverError('io', reply.message);
    waiting?.reject(error);
  }

  private fail(worker: Worker, error: Error): void {
    this.failure = new ArchiverError('internal', `a packing thread failed: ${error.message}`, { cause: error });
    this.waiting.get(worker)?.reject(this.failure);
    this.waiting.delete(worker);
  }
}
