// Bodies that stall, end early or break are abandoned and continued by range, on condition that the object is still the
// same. The SDK never does this: a connection lost in mid-body can hang a download for ever
// (aws/aws-sdk-js-v3 issue 8098). Time in which the consumer does not read does not count.
import { Readable } from 'node:stream';
import { errorText, isArchiverError } from '../platform/failures/errors.js';
import type { EventSink } from '../events/events.js';
import type { GetOptions, ObjectContent, ObjectStore } from './object-store.js';
import { retryTrouble } from './retry/retrier.js';
import { isRetriable, StoreError } from './store-error.js';

export interface WatchdogOptions {
  /** A body must make progress within this time. */
  readonly stallMs: number;
  /** Averaged over `stallMs`; slower counts as stalled. */
  readonly minBytesPerSecond: number;
  /** Most continuations in a row that yield (almost) nothing before the body is given up. */
  readonly maxIdleContinuations: number;
  readonly onEvent?: EventSink | undefined;
}

export const DEFAULT_WATCHDOG: WatchdogOptions = { stallMs: 60_000, minBytesPerSecond: 1024, maxIdleContinuations: 5 };

const TICKS_PER_STALL = 20;
// A continuation that yielded this many bytes was worth it, whatever happened next.
const PROGRESS_BYTES = 64 * 1024;
const BUFFER_BYTES = 256 * 1024;

interface Watched {
  readonly store: ObjectStore;
  readonly key: string;
  readonly first: ObjectContent;
  readonly get: GetOptions;
  readonly options: WatchdogOptions;
}

class WatchedBody extends Readable {
  readonly #watched: Watched;
  readonly #timer: NodeJS.Timeout;
  #source: Readable;
  #received = 0;
  #receivedAtStart = 0;
  #idleContinuations = 0;
  #isWanted = false;
  #isContinuing = false;
  #isEnded = false;
  #waitedMs = 0;
  #bytesInWindow = 0;

  constructor(watched: Watched) {
    super({ highWaterMark: BUFFER_BYTES });
    this.#watched = watched;
    const tickMs = watched.options.stallMs / TICKS_PER_STALL;
    this.#timer = setInterval(() => this.#tick(tickMs), tickMs);
    this.#source = watched.first.body;
    this.#attach(this.#source);
  }

  override _read(): void {
    this.#isWanted = true;
    if (!this.#isContinuing) this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#timer);
    this.#source.destroy();
    callback(error);
  }

  #attach(source: Readable): void {
    this.#source = source;
    this.#isContinuing = false;
    this.#receivedAtStart = this.#received;
    // A destroyed stream may still yield what it had buffered: once it is given up, none of that counts.
    const isCurrent = (): boolean => source === this.#source && !this.#isContinuing && !this.destroyed;
    const over = (error: unknown): void => {
      if (!isCurrent() || this.#isEnded) return;
      this.#ended(error);
    };
    source.on('data', (piece: Uint8Array) => {
      if (!isCurrent()) return;
      this.#received += piece.byteLength;
      this.#bytesInWindow += piece.byteLength;
      if (this.push(piece)) return;
      this.#isWanted = false;
      source.pause();
    });
    source.on('end', () => over(undefined));
    source.on('error', over);
    source.on('close', () => over(undefined));
    if (this.#isWanted) source.resume();
    else source.pause();
  }

  #tick(tickMs: number): void {
    const { stallMs, minBytesPerSecond } = this.#watched.options;
    if (!this.#isWanted || this.#isContinuing) return;
    this.#waitedMs += tickMs;
    if (this.#waitedMs < stallMs) return;
    const isStalled = this.#bytesInWindow < (minBytesPerSecond * stallMs) / 1000;
    this.#waitedMs = 0;
    this.#bytesInWindow = 0;
    if (!isStalled) return;
    const stalled = new StoreError('stalled', `${this.#name} stood still for ${stallMs / 1000} s`, {
      retriable: true,
      reason: 'Stalled',
    });
    void this.#continue(stalled);
  }

  get #name(): string {
    return `${this.#watched.store.url}/${this.#watched.key}`;
  }

  #ended(error: unknown): void {
    const { sizeBytes } = this.#watched.first;
    if (error === undefined && this.#received === sizeBytes) {
      this.#isEnded = true;
      clearInterval(this.#timer);
      this.push(null);
    } else {
      void this.#continue(
        error ??
          new StoreError('store', `${this.#name} broke off after ${this.#received} of ${sizeBytes} bytes`, {
            retriable: true,
            reason: 'Truncated',
          }),
      );
    }
  }

  async #continue(reason: unknown): Promise<void> {
    const { store, key, first, get, options } = this.#watched;
    this.#isContinuing = true;
    const abandoned = this.#source;
    abandoned.on('error', () => undefined);
    abandoned.destroy();
    this.#idleContinuations =
      this.#received - this.#receivedAtStart >= PROGRESS_BYTES ? 1 : this.#idleContinuations + 1;
    if (
      !isRetriable(reason) ||
      get.signal?.aborted === true ||
      this.#idleContinuations > options.maxIdleContinuations
    ) {
      return void this.destroy(reason instanceof Error ? reason : new Error(errorText(reason)));
    }
    const request = `rest of ${key}`;
    options.onEvent?.({
      type: 'retry',
      request,
      service: 'store',
      attempt: this.#idleContinuations,
      maxAttempts: options.maxIdleContinuations + 1,
      waitMs: 0,
      trouble: retryTrouble(reason),
      reason: errorText(reason),
    });
    try {
      const next = await this.#next(store, key, first, get);
      this.#waitedMs = 0;
      this.#bytesInWindow = 0;
      if (this.destroyed) next.destroy();
      else this.#attach(next);
    } catch (error) {
      this.destroy(this.#explain(error));
    } finally {
      options.onEvent?.({ type: 'settled', request });
    }
  }

  async #next(store: ObjectStore, key: string, first: ObjectContent, get: GetOptions): Promise<Readable> {
    // Everything had arrived, only the end of the answer was missing.
    if (this.#received === first.sizeBytes) return Readable.from([]);
    const range = { start: first.start + this.#received, end: first.start + first.sizeBytes };
    const content = await store.get(key, { range, ifMatch: first.etag, ...(get.signal ? { signal: get.signal } : {}) });
    if (content.sizeBytes === range.end - range.start) return content.body;
    content.body.destroy();
    throw new StoreError('conflict', `${this.#name} changed its size while it was being read`, { reason: 'Changed' });
  }

  #explain(error: unknown): Error {
    if (isArchiverError(error, 'conflict')) {
      return new StoreError('conflict', `${this.#name} was replaced while it was being read`, {
        reason: 'Changed',
        cause: error,
        hint: 'run the command again',
      });
    }
    return error instanceof Error ? error : new Error(errorText(error));
  }
}

/** Wraps a store so that its bodies are watched. Continuations go through `store`, so this belongs around the retry decorator. */
export function withWatchdog<S extends ObjectStore>(store: S, options: WatchdogOptions = DEFAULT_WATCHDOG): S {
  return {
    ...store,
    get: async (key, get = {}) => {
      const first = await store.get(key, get);
      return { ...first, body: new WatchedBody({ store, key, first, get, options }) };
    },
  };
}
