// Runs the scan in a worker thread and turns its replies into events, a result or an error.
import { ArchiverError, cancelledError, isArchiverError, usageError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { WorkerThread } from '../../platform/threads/worker-thread.js';
import type { FilterOptions } from './filter-options.js';
import type { Ahead } from './rows-ahead.js';
import type { ScanResult } from './scan.js';
import type { ScanWindow } from './scan-window.js';
import type { PartList } from './scan-listed.js';
import type { ScanReply, ScanRequest } from './scan-worker.js';

export interface ScanInput {
  readonly source: RawPath;
  readonly filter: FilterOptions;
  /** Paths to look at, instead of all that the filter keeps. */
  readonly listed?: PartList | undefined;
  readonly window?: ScanWindow | undefined;
  /** Receives chunks of what is listed while more is. */
  readonly ahead?: Ahead | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns the result of the scan, and what this platform's view of files loses (undefined for nothing). @throws not-found, access-denied,
 * usage
 */
export async function scanInWorker(
  input: ScanInput,
  emit: EventSink,
): Promise<{ readonly result: ScanResult; readonly loss: string | undefined }> {
  throwIfCancelled(input.signal);
  const { signal } = input;
  const scanned = settleable<{ result: ScanResult; loss: string | undefined }>();
  const ready = settleable<void>();
  const thread = new WorkerThread<ScanRequest | 'end', ScanReply>({
    name: 'scan-worker',
    what: 'the scanning thread',
    onMessage: (reply) => {
      ready.resolve();
      if (signal.aborted) return; // it goes on until it is terminated
      if (reply.type === 'progress') return emit({ type: 'scan', items: reply.files, bytes: reply.bytes });
      if (reply.type === 'ready') return;
      if (reply.type === 'chunk') return input.ahead?.onChunk(reply.chunk, reply.table);
      void thread.close('end');
      if (reply.type === 'done') scanned.resolve(reply);
      else scanned.reject(failure(input.source, reply));
    },
    onFailure: scanned.reject,
  });
  const { source: root, filter, listed, window, ahead } = input;
  thread.post({ root, filter, listed, window, ahead: ahead?.sizes });
  // Waits until the thread is ready: terminating it while it loads a native addon takes the whole process down.
  const safe = Promise.race([ready.promise, thread.ended]);
  const cancel = (): void => {
    thread.expectEnd();
    void safe.then(() => {
      thread.terminate();
      scanned.reject(isArchiverError(signal.reason) ? signal.reason : cancelledError());
    });
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await scanned.promise;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

interface Settleable<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function settleable<T>(): Settleable<T> {
  let settle: Omit<Settleable<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  if (settle === undefined) throw new ArchiverError('internal', 'a promise began without its functions');
  return { promise, ...settle };
}

function failure(source: RawPath, reply: Extract<ScanReply, { type: 'failed' }>): ArchiverError {
  if (reply.usage) return usageError(reply.message);
  const what = `cannot list ${displayPath(source)}`;
  if (reply.code === 'EACCES' || reply.code === 'EPERM') {
    return new ArchiverError('access-denied', `${what}: permission denied (${reply.code})`, {
      hint: 'run as a user who may read it, or change its mode',
    });
  }
  return new ArchiverError(reply.code === 'ENOENT' ? 'not-found' : 'io', `${what}: ${reply.message}`);
}
