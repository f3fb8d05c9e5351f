// Sends again what the store or the network may answer differently next time. Waits grow and are jittered, so that many
// writers do not come back at once; tries and total time are capped; only the last verdict is reported. Two answers
// change their meaning on a repeated request, because the first one may have worked although its answer was lost:
// a `conflict` of a put-if-absent is passed up with `afterRetry` (the committer looks whether the object is its own),
// and a multipart upload that is gone is looked for under its key.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../errors.js';
import type { EventSink } from '../events.js';
import type {
  DeleteFailure,
  ListOptions,
  ListPage,
  ObjectStore,
  PutResult,
  UnfinishedMultipart,
  UploadedPart,
} from './object-store.js';
import { multipartEtag } from './s3-etag.js';
import { isRetriable, StoreError, throwIfCancelled } from './store-error.js';

export interface RetryOptions {
  /** How often a request is sent at most. */
  readonly maxAttempts: number;
  /** No new attempt after so long. */
  readonly maxTotalMs: number;
  /** Upper bound of the first wait; it doubles with each try. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly onEvent?: EventSink | undefined;
  /** Between 0 and 1. */
  readonly random?: () => number;
  readonly now?: () => number;
}

export const DEFAULT_RETRY: RetryOptions = {
  maxAttempts: 10,
  maxTotalMs: 300_000,
  baseDelayMs: 200,
  maxDelayMs: 20_000,
};

const DELETE_BATCH = 1000;

/** How long to wait before attempt `attempt + 1`: half fixed, half random, never less than the server asked for. */
export function retryDelayMs(attempt: number, error: StoreError, options: RetryOptions): number {
  const ceiling = Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** (attempt - 1));
  const jittered = ceiling / 2 + (ceiling / 2) * (options.random ?? Math.random)();
  return Math.max(jittered, error.retryAfterMs ?? 0);
}

/** The same error with what the retrying adds to it. */
function verdict(error: unknown, attempts: number): unknown {
  if (attempts === 1 || !(error instanceof StoreError)) return error;
  const { code, hint, exitCode, retryAfterMs, reason, retriable } = error;
  const message = retriable ? `${error.message} (tried ${attempts} times)` : error.message;
  return new StoreError(code, message, {
    hint,
    exitCode,
    retryAfterMs,
    reason,
    retriable,
    attempts,
    afterRetry: true,
    cause: error.cause,
  });
}

interface Job {
  /** What an event names, e.g. `put uploads/x/manifest.json.gz`. */
  readonly request: string;
  readonly signal?: AbortSignal | undefined;
}

class Retrier {
  readonly #options: RetryOptions;
  readonly #now: () => number;

  constructor(options: RetryOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async run<T>({ request, signal }: Job, send: (attempt: number) => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    for (let attempt = 1; ; attempt += 1) {
      throwIfCancelled(signal);
      try {
        return await send(attempt);
      } catch (error) {
        const waitMs = isRetriable(error) ? retryDelayMs(attempt, error, this.#options) : 0;
        const isOver =
          attempt >= this.#options.maxAttempts || this.#now() - startedAt + waitMs > this.#options.maxTotalMs;
        if (!isRetriable(error) || isOver || signal?.aborted === true) throw verdict(error, attempt);
        this.#options.onEvent?.({ type: 'retry', request, attempt, reason: errorText(error) });
        await sleep(waitMs, undefined, signal ? { signal } : {}).catch(() => undefined);
      }
    }
  }
}

// The upload is gone and a request went out before this one: did that one complete it?
async function settleComplete(
  store: ObjectStore,
  key: string,
  parts: readonly UploadedPart[],
  error: unknown,
  signal?: AbortSignal,
): Promise<PutResult> {
  const expected = multipartEtag(parts);
  const isGone = error instanceof StoreError && error.reason === 'NoSuchUpload';
  if (!isGone || expected === undefined) throw error;
  const found = await store.head(key, signal).catch(() => undefined);
  if (found?.etag !== expected) throw error;
  return { etag: found.etag };
}

/** The greatest line of a page, in the byte order in which pages come. */
function lastOf({ objects, prefixes }: ListPage): string | undefined {
  const object = objects.at(-1)?.key;
  const prefix = prefixes.at(-1);
  if (object === undefined || prefix === undefined) return object ?? prefix;
  return Buffer.compare(Buffer.from(object), Buffer.from(prefix)) > 0 ? object : prefix;
}

// A folded folder that was listed already comes back when the listing starts inside of it.
const without = (page: ListPage, seen: string | undefined): ListPage =>
  seen?.endsWith('/') === true ? { ...page, prefixes: page.prefixes.filter((prefix) => prefix !== seen) } : page;

async function* listAgain(store: ObjectStore, retrier: Retrier, options: ListOptions): AsyncGenerator<ListPage> {
  const job: Job = { request: `list ${options.prefix ?? ''}`, signal: options.signal };
  let seen = options.startAfter;
  let pages: AsyncIterator<ListPage> | undefined;
  try {
    for (;;) {
      const step = await retrier.run(job, async () => {
        if (pages === undefined) {
          const listing = store.list({ ...options, ...(seen === undefined ? {} : { startAfter: seen }) });
          pages = listing[Symbol.asyncIterator]();
        }
        try {
          return await pages.next();
        } catch (error) {
          pages = undefined;
          throw error;
        }
      });
      if (step.done === true) return;
      const page = without(step.value, seen);
      seen = lastOf(page) ?? seen;
      yield page;
    }
  } finally {
    await pages?.return?.();
  }
}

async function* listMultipartAgain(
  store: ObjectStore,
  retrier: Retrier,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<UnfinishedMultipart> {
  // Few enough to hold: a listing that broke off starts again.
  const found = await retrier.run({ request: `list uploads ${prefix}`, signal }, async () => {
    const uploads: UnfinishedMultipart[] = [];
    for await (const upload of store.listMultipart(prefix, signal)) uploads.push(upload);
    return uploads;
  });
  yield* found;
}

async function deleteAgain(
  store: ObjectStore,
  retrier: Retrier,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  let left = keys;
  const final: DeleteFailure[] = [];
  let last: readonly DeleteFailure[] = [];
  const job: Job = { request: `delete ${keys.length} objects`, signal };
  const send = async (): Promise<void> => {
    const failures = await store.delete(left, signal);
    final.push(...failures.filter(({ retriable }) => retriable !== true));
    last = failures.filter(({ retriable }) => retriable === true);
    left = last.map(({ key }) => key);
    if (last.length > 0)
      throw new StoreError('store', `${last.length} objects could not be deleted: ${last[0]?.reason}`, {
        retriable: true,
        reason: 'PartialDelete',
      });
  };
  try {
    await retrier.run(job, send);
    return final;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'PartialDelete') return [...final, ...last];
    throw error;
  }
}

/** A store that retries. */
export function withRetry(store: ObjectStore, options: RetryOptions = DEFAULT_RETRY): ObjectStore {
  const retrier = new Retrier(options);
  const run = <T>(
    request: string,
    signal: AbortSignal | undefined,
    send: (attempt: number) => Promise<T>,
  ): Promise<T> => retrier.run({ request, signal }, send);
  return {
    url: store.url,
    get: (key, get) => run(`get ${key}`, get?.signal, () => store.get(key, get)),
    head: (key, signal) => run(`head ${key}`, signal, () => store.head(key, signal)),
    list: (list = {}) => listAgain(store, retrier, list),
    put: (key, body, put) => run(`put ${key}`, put?.signal, () => store.put(key, body, put)),
    createMultipart: (key, write) =>
      run(`create upload ${key}`, write?.signal, () => store.createMultipart(key, write)),
    uploadPart: (key, id, partNumber, body, signal) =>
      run(`part ${partNumber} of ${key}`, signal, () => store.uploadPart(key, id, partNumber, body, signal)),
    completeMultipart: (key, id, parts, signal) =>
      run(`complete ${key}`, signal, (attempt) => {
        const sent = store.completeMultipart(key, id, parts, signal);
        return attempt === 1 ? sent : sent.catch((error: unknown) => settleComplete(store, key, parts, error, signal));
      }),
    abortMultipart: (key, id, signal) => run(`abort ${key}`, signal, () => store.abortMultipart(key, id, signal)),
    listMultipart: (prefix, signal) => listMultipartAgain(store, retrier, prefix, signal),
    delete: async (keys, signal) => {
      const failures: DeleteFailure[] = [];
      for (let start = 0; start < keys.length; start += DELETE_BATCH) {
        failures.push(...(await deleteAgain(store, retrier, keys.slice(start, start + DELETE_BATCH), signal)));
      }
      return failures;
    },
    copy: (from, to, write) => run(`copy ${to}`, write?.signal, () => store.copy(from, to, write)),
    thaw: (key, thaw) => run(`restore ${key}`, thaw.signal, () => store.thaw(key, thaw)),
  };
}
