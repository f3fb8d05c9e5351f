// Retries requests. Waits grow and are jittered, so that many writers do not retry at once; attempts and total time are
// capped; only the last error is reported.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, systemCode } from '../../platform/failures/errors.js';
import type { EventSink, RetryTrouble } from '../../events/events.js';
import { isRetriable, StoreError, throwIfCancelled } from '../store-error.js';

export interface RetryOptions {
  /** Most attempts. */
  readonly maxAttempts: number;
  /** No new attempt after this time in all. */
  readonly maxTotalMs: number;
  /** Upper bound of the first wait; it doubles with each try. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** No new attempt after this time if no connection was ever made: the address is more likely wrong than its server down. */
  readonly firstContactMs: number;
  readonly onEvent?: EventSink | undefined;
  /** Name of the service in messages; the store when not given. */
  readonly service?: string | undefined;
  /** Returns a random number between 0 and 1. */
  readonly random?: () => number;
  readonly now?: () => number;
}

export const DEFAULT_RETRY: RetryOptions = {
  maxAttempts: 10,
  maxTotalMs: 300_000,
  baseDelayMs: 200,
  maxDelayMs: 20_000,
  firstContactMs: 5_000,
};

/** Returns how long to wait before attempt `attempt + 1`, in ms: half fixed, half random, never less than the server asked for. */
export function retryDelayMs(attempt: number, error: StoreError, options: RetryOptions): number {
  const ceiling = Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** (attempt - 1));
  const jittered = ceiling / 2 + (ceiling / 2) * (options.random ?? Math.random)();
  return Math.max(jittered, error.retryAfterMs ?? 0);
}

const BUSY = new Set([
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'RequestLimitExceeded',
  'BandwidthLimitExceeded',
]);

/** Describes a temporary failure for people. */
export function retryTrouble(error: StoreError): RetryTrouble {
  if (BUSY.has(error.reason ?? '')) return 'busy';
  // An answer of the store has no system code; a connection that was refused or lost has.
  return error.code === 'stalled' || systemCode(error.cause) !== undefined ? 'unreachable' : 'failed';
}

/** Whether the store says that the request did nothing because another one was under way. */
const hasDoneNothing = (error: unknown): boolean =>
  error instanceof StoreError && error.reason === 'ConditionalRequestConflict';

/** Adds the number of attempts to the error. */
function verdict(error: unknown, attempts: number, afterRetry: boolean): unknown {
  if (attempts === 1 || !(error instanceof StoreError)) return error;
  const { code, hint, exitCode, retryAfterMs, reason, retriable, isRefused } = error;
  const message = retriable ? `${error.message} (tried ${attempts} times)` : error.message;
  return new StoreError(code, message, {
    hint,
    exitCode,
    retryAfterMs,
    reason,
    retriable,
    isRefused,
    attempts,
    afterRetry,
    cause: error.cause,
  });
}

export interface RetriedRequest {
  /** Name of the request in events, e.g. `put uploads/x/manifest.json.gz`. */
  readonly request: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one request until it succeeds or the attempts are used up. */
export class Retrier {
  readonly #options: RetryOptions;
  readonly #now: () => number;
  #hasAnswered = false;

  constructor(options: RetryOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async run<T>({ request, signal }: RetriedRequest, send: (attempt: number) => Promise<T>): Promise<T> {
    const { maxAttempts, onEvent, service = 'store' } = this.#options;
    const startedAt = this.#now();
    let isRepeated = false;
    let mayBeDone = false;
    try {
      for (let attempt = 1; ; attempt += 1) {
        throwIfCancelled(signal);
        try {
          const answer = await send(attempt);
          this.#hasAnswered = true;
          return answer;
        } catch (error) {
          const patienceMs = this.#patienceMs(error);
          const waitMs = isRetriable(error) ? retryDelayMs(attempt, error, this.#options) : 0;
          const isOver = attempt >= maxAttempts || this.#now() - startedAt + waitMs > patienceMs;
          if (!isRetriable(error) || isOver || signal?.aborted === true) throw verdict(error, attempt, mayBeDone);
          isRepeated = true;
          mayBeDone ||= !hasDoneNothing(error);
          const told = { request, service, attempt, maxAttempts, waitMs, reason: errorText(error) };
          onEvent?.({ type: 'retry', ...told, trouble: retryTrouble(error) });
          await sleep(waitMs, undefined, signal ? { signal } : {}).catch(() => undefined);
        }
      }
    } finally {
      if (isRepeated) onEvent?.({ type: 'settled', request });
    }
  }

  /** Returns how long a request that failed with `error` is tried in all, in ms. */
  #patienceMs(error: unknown): number {
    const { maxTotalMs, firstContactMs } = this.#options;
    this.#hasAnswered ||= !(error instanceof StoreError && error.reason === 'Unreached');
    return this.#hasAnswered ? maxTotalMs : Math.min(maxTotalMs, firstContactMs);
  }
}
