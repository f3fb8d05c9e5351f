// One worker thread, as seen from the thread that started it. If it ends before it was asked to (an uncaught error, out of memory, an
// unreadable message, a silent exit), this is reported once, and nobody waits for an answer that will not come. Ending it is requested and
// awaited, but never forever.
import type { Worker } from 'node:worker_threads';
import { meaningOf } from '../failures/errno.js';
import { ArchiverError, errorText, isArchiverError, systemCode } from '../failures/errors.js';
import { loadLibc } from '../libc/libc.js';
import { IDLE_MESSAGE } from './end-work.js';
import {
  endThread,
  isRetainingThreads,
  runThreadExitHooks,
  releaseThread,
  acquireThread,
  type ThreadCode,
} from './threads.js';

export interface ThreadOptions<FromThread> {
  /** Name of its script, e.g. `pack-worker`. */
  readonly name: string;
  /** Description for messages: `a packing thread`. */
  readonly what: string;
  /** Errors that it throws count as a failure of the thread. */
  readonly onMessage: (message: FromThread) => void;
  /** Called at most once, and never by the constructor. */
  readonly onFailure: (error: ArchiverError) => void;
  /** Runs this file instead. */
  readonly url?: URL | undefined;
  /** Time limit in ms for a requested end. */
  readonly patienceMs?: number | undefined;
}

/** A thread that was asked to end may have to wait for a slow disk, but not longer than this. */
const PATIENCE_MS = 30_000;
/** Hints for Node's own error codes. */
const HINTS: Readonly<Record<string, string>> = {
  ERR_WORKER_INIT_FAILED: 'allow more threads and open files (ulimit -u, ulimit -n), or free some memory',
  ERR_WORKER_OUT_OF_MEMORY: 'free some memory, or allow Node more of it: NODE_OPTIONS=--max-old-space-size=MIB',
};

export class WorkerThread<ToThread, FromThread> {
  /** Resolves when the thread has ended, or rests. */
  readonly ended: Promise<void>;
  /** Undefined when it could not be started, and once it rests: from then on it may belong to others. */
  private worker: Worker | undefined;
  private readonly isKept = isRetainingThreads();
  private readonly code: ThreadCode;
  private failed = false;
  private mayEnd = false;
  private isClosing = false;

  constructor(private readonly options: ThreadOptions<FromThread>) {
    this.code = { url: options.url ?? threadUrl(), name: options.name };
    this.worker = this.take();
    // Threads load koffi. When the last user of an addon ends, its destructors run, and those of koffi flush standard error while holding a
    // lock that they take again to complain: if the flush fails, that thread never ends. As long as this thread also holds the addon, they
    // do not run there; the end of the process skips them (src/cli/process-end.ts).
    if (this.worker !== undefined) loadLibc();
    this.ended = this.worker === undefined ? Promise.resolve() : this.listen(this.worker);
  }

  private take(): Worker | undefined {
    try {
      return acquireThread(this.code);
    } catch (error) {
      queueMicrotask(() => this.fail(error)); // the caller of the constructor does not have the object yet
      return undefined;
    }
  }

  private async listen(worker: Worker): Promise<void> {
    await new Promise<void>((resolve) => {
      const fail = (error: Error): void => this.fail(error);
      const end = (code: number): void => {
        if (!this.mayEnd) this.fail(new Error(`it ended unexpectedly with status ${code}`));
        resolve();
      };
      const receive = (message: FromThread | typeof IDLE_MESSAGE): void => {
        if (message !== IDLE_MESSAGE) return this.receive(message);
        worker.off('message', receive).off('messageerror', fail).off('error', fail).off('exit', end);
        this.worker = undefined;
        releaseThread(this.code, worker);
        resolve();
      };
      worker.on('message', receive).on('messageerror', fail).on('error', fail).once('exit', end);
    });
  }

  private receive(message: FromThread): void {
    try {
      this.options.onMessage(message);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.failed) return;
    this.failed = true;
    const { what, onFailure } = this.options;
    if (isArchiverError(error)) onFailure(error);
    else {
      const code = systemCode(error) ?? '';
      const hint = HINTS[code] ?? meaningOf(code)?.hint;
      onFailure(new ArchiverError('internal', `${what} failed: ${errorText(error)}`, { cause: error, hint }));
    }
  }

  /** Sends a message; does nothing once the thread was asked to end: a kept one would take it into its next piece of work. */
  post(message: ToThread): void {
    if (!this.isClosing) this.worker?.postMessage(message);
  }

  /** From now on its end is not a failure; an uncaught error still is. */
  expectEnd(): void {
    this.mayEnd = true;
  }

  /**
   * Asks the thread with `message` to end, and waits until it has ended (or rests), or until the time limit. It is not terminated, because
   * stopping a thread while it loads a native addon brings down the whole process (napi_throw is fatal there).
   */
  async close(message: ToThread): Promise<void> {
    this.expectEnd();
    if (this.worker !== undefined && !this.isKept) await runThreadExitHooks(this.worker);
    this.post(message);
    this.isClosing = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.worker?.unref(); // stuck in a system call: nothing more can be done, and nobody needs it
        resolve();
      }, this.options.patienceMs ?? PATIENCE_MS);
    });
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
  }

  /** Stops the thread wherever it is. Must not be called while it loads native code. */
  terminate(): void {
    this.expectEnd();
    if (this.worker !== undefined) void endThread(this.worker);
  }
}

/**
 * Returns the URL of src/thread.ts as it is built. Bundled code runs from dist/ or dist/chunks/ (code loaded later); TypeScript source (tests)
 * uses the threads of the last build.
 */
function threadUrl(): URL {
  const from = import.meta.url;
  if (from.endsWith('.ts')) return new URL('../../../../dist/thread.js', from);
  return new URL(/\/chunks\/[^/]*$/.test(from) ? '../thread.js' : './thread.js', from);
}
