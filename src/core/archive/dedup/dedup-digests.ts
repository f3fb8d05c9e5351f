// Digests of many files, made by worker threads.
import { ArchiverError } from '../../platform/failures/errors.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { WorkerThread } from '../../platform/threads/worker-thread.js';
import { DIGEST_BYTES } from './dedup-hash.js';
import type { HashReply, HashTask } from './dedup-worker.js';

export interface DigestOptions extends Pick<HashTask, 'table' | 'root' | 'limitBytes' | 'withMd5'> {
  readonly workers: number;
  /** For each row, the seed of the XXH64 that is made instead of its SHA-256. */
  readonly seeds?: BigUint64Array | undefined;
  readonly signal: AbortSignal;
}

export interface Digests {
  /** SHA-256 of each row, or its XXH64 in the first bytes of that space, in the order of the given rows. */
  readonly digests: Buffer;
  /** 1 for each row whose digest was made; other files could not be read or have changed since the scan. */
  readonly made: Uint8Array;
}

/** Hashes the files at `rows`. @throws internal when a thread fails; cancelled */
export async function digestFiles(rows: Uint32Array, options: DigestOptions): Promise<Digests> {
  const { table, root, limitBytes, withMd5, seeds, signal } = options;
  throwIfCancelled(signal);
  const memory = new SharedArrayBuffer(rows.byteLength);
  new Uint32Array(memory).set(rows);
  const task: HashTask = {
    table,
    root,
    limitBytes,
    withMd5,
    rows: memory,
    seeds: seeds && inSharedMemory(seeds),
    digests: new SharedArrayBuffer(rows.length * DIGEST_BYTES),
    made: new SharedArrayBuffer(rows.length),
    shared: new SharedArrayBuffer(8),
  };
  // Threads are asked to stop, not terminated: terminating one while it loads a native addon crashes the process.
  const stop = (): void => void Atomics.store(new Int32Array(task.shared), 1, 1);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const threads = Math.max(1, Math.min(options.workers, rows.length));
    await Promise.all(Array.from({ length: threads }, () => runThread(task, stop)));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  throwIfCancelled(signal);
  return { digests: Buffer.from(task.digests), made: new Uint8Array(task.made) };
}

function inSharedMemory(seeds: BigUint64Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(seeds.byteLength);
  new BigUint64Array(memory).set(seeds);
  return memory;
}

function runThread(task: HashTask, stop: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: ArchiverError): void => {
      stop();
      reject(error);
    };
    const thread: WorkerThread<HashTask | 'end', HashReply> = new WorkerThread({
      name: 'dedup-worker',
      what: 'a hashing thread',
      onMessage: (reply) => {
        if (reply.type === 'failed') fail(new ArchiverError('io', `a hashing thread failed: ${reply.message}`));
        void thread.close('end').then(resolve);
      },
      onFailure: fail,
    });
    thread.post(task);
  });
}
