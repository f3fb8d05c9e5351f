// Runs the scan in a worker thread and turns its replies into events, a result or an error.
import { Worker } from 'node:worker_threads';
import { ArchiverError, cancelledError, isArchiverError, usageError } from '../../errors.js';
import type { EventSink } from '../../events.js';
import { displayPath, type RawPath } from '../../raw-path.js';
import { throwIfCancelled } from '../../object-store/store-error.js';
import { workerUrl } from '../../worker-url.js';
import type { FilterOptions } from './filter.js';
import type { ScanResult } from './scan.js';
import type { ScanReply, ScanRequest } from './scan-worker.js';

export interface ScanInput {
  readonly source: RawPath;
  readonly filter: FilterOptions;
  readonly signal: AbortSignal;
}

/** What the scan found, and what this platform's view of files loses (undefined: nothing). @throws not-found, access-denied, usage */
export async function scanInWorker(
  input: ScanInput,
  emit: EventSink,
): Promise<{ readonly result: ScanResult; readonly loss: string | undefined }> {
  throwIfCancelled(input.signal);
  const request: ScanRequest = { root: input.source, filter: input.filter };
  const worker = new Worker(workerUrl('scan-worker'), { workerData: request });
  const { signal } = input;
  // A thread that is terminated while it loads a native addon takes the whole process down.
  const ready = new Promise<void>((resolve) => {
    worker.once('message', () => resolve());
    worker.once('exit', () => resolve());
  });
  const scanned = new Promise<{ result: ScanResult; loss: string | undefined }>((resolve, reject) => {
    const cancel = (): void => reject(isArchiverError(signal.reason) ? signal.reason : cancelledError());
    signal.addEventListener('abort', cancel, { once: true });
    worker.on('message', (reply: ScanReply) => {
      if (reply.type === 'ready') return;
      if (reply.type === 'progress') {
        emit({ type: 'scan', files: reply.files, bytes: reply.bytes });
        return;
      }
      signal.removeEventListener('abort', cancel);
      if (reply.type === 'done') resolve(reply);
      else reject(failure(input.source, reply));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new ArchiverError('internal', 'the scanning thread ended without a result')));
  });
  try {
    return await scanned;
  } catch (error) {
    await ready; // before anybody ends the process
    throw error;
  } finally {
    void ready.then(() => worker.terminate());
  }
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
