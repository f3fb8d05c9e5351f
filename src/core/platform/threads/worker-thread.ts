// One worker thread, seen from the thread that started it. However it ends before it was asked to (an uncaught error, no
// memory left, a message that cannot be read, an end without a word), that is told once, and nobody waits for an answer
// that will not come. Ending it is asked for and waited for, but never for ever.
import type { Worker } from 'node:worker_threads';
import { meaningOf } from '../failures/errno.js';
import { ArchiverError, errorText, isArchiverError, systemCode } from '../failures/errors.js';
import { loadLibc } from '../libc/libc.js';
import { RESTS } from './end-work.js';
import { endThread, keepsThreads, leaveThread, restThread, takeThread } from './threads.js';

export interface ThreadOptions<FromThread> {
  /** Its file, e.g. `pack-worker`. */
  readonly name: string;
  /** What it does, for messages: `a packing thread`. */
  readonly what: string;
  /** What it throws counts as a failure of the thread. */
  readonly onMessage: (message: FromThread) => void;
  /** Called at most once, and never by the constructor. */
  readonly onFailure: (error: ArchiverError) => void;
  /** Instead of the file of that name. */
  readonly url?: URL | undefined;
  /** How long an end that was asked for may take. */
  readonly patienceMs?: number | undefined;
}

/** A thread that was asked to end may have a slow disk to wait for; after this nobody waits any more. */
const PATIENCE_MS = 30_000;
/** Node's own codes. */
const HINTS: Readonly<Record<string, string>> = {
  ERR_WORKER_INIT_FAILED: 'allow more threads and open files (ulimit -u, ulimit -n), or free some memory',
  ERR_WORKER_OUT_OF_MEMORY: 'free some memory, or allow Node more of it: NODE_OPTIONS=--max-old-space-size=MIB',
};

export class WorkerThread<ToThread, FromThread> {
  /** Resolves when the thread is gone, or rests. */
  readonly ended: Promise<void>;
  /** None when it could not be started, and once it rests: from then on it is somebody else's. */
  private worker: Worker | undefined;
  private readonly isKept = keepsThreads();
  private readonly url: URL;
  private failed = false;
  private mayEnd = false;

  constructor(private readonly options: ThreadOptions<FromThread>) {
    this.url = options.url ?? workerUrl(options.name);
    this.worker = this.take();
    // Threads load koffi. When the last user of an addon ends, its destructors run, and those of koffi flush standard
    // error with a lock held that they take again to complain: where the flush fails, that thread never ends. As long as
    // this thread holds the addon, too, they do not run here; the end of the process passes them by (src/cli.ts).
    if (this.worker !== undefined) loadLibc();
    this.ended = this.worker === undefined ? Promise.resolve() : this.listen(this.worker);
  }

  private take(): Worker | undefined {
    try {
      return takeThread(this.url, this.options.name);
    } catch (error) {
      queueMicrotask(() => this.fail(error)); // whoever makes this has not got it yet
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
      const receive = (message: FromThread | typeof RESTS): void => {
        if (message !== RESTS) return this.receive(message);
        worker.off('message', receive).off('messageerror', fail).off('error', fail).off('exit', end);
        this.worker = undefined;
        restThread(this.url, worker);
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

  /** Sends a message; to a thread that is gone or rests it does nothing. */
  post(message: ToThread): void {
    this.worker?.postMessage(message);
  }

  /** From now on its end is no failure. An uncaught error still is. */
  expectEnd(): void {
    this.mayEnd = true;
  }

  /**
   * Asks the thread with `message` to end, and waits until it has (or rests), or until that takes too long. It is asked and not
   * terminated: a thread that is stopped while it loads a native addon takes the whole process down (napi_throw is fatal
   * there).
   */
  async close(message: ToThread): Promise<void> {
    this.expectEnd();
    if (this.worker !== undefined && !this.isKept) await leaveThread(this.worker);
    this.post(message);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.worker?.unref(); // stuck in a call of the system: nothing more can be done for it, and nobody needs it
        resolve();
      }, this.options.patienceMs ?? PATIENCE_MS);
    });
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
  }

  /** Stops it wherever it is. Not while it loads native code. */
  terminate(): void {
    this.expectEnd();
    if (this.worker !== undefined) void endThread(this.worker);
  }
}

/** Bundled code runs from dist/ or dist/chunks/ (code loaded later); TypeScript source (tests) uses the workers of the last build. */
function workerUrl(name: string): URL {
  const from = import.meta.url;
  if (from.endsWith('.ts')) return new URL(`../../../../dist/${name}.js`, from);
  const isSplitOff = /\/chunks\/[^/]*$/.test(from);
  return new URL(`${isSplitOff ? '../' : './'}${name}.js`, from);
}
