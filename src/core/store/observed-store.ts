// Reports how long each request to a store took and how it ended, for metrics and traces. It sits where the meter of the ledger does, below
// the retry decorator, so each attempt is reported. A fetch ends with its last byte.
import { isArchiverError } from '../platform/failures/errors.js';
import type { KeyService } from './key-service.js';
import type { BegunRequest, HttpExchange, OnRequest, RequestKind, StoreRequest } from '../events/observer.js';
import { keepExchange, nowMs } from './http-exchange.js';
import { STANDARD } from './meter.js';
import type { WholeStore } from './object-store.js';
import { parseStoreUrl } from './store-url.js';

type About = Pick<BegunRequest, 'key' | 'bucket'>;
type Told = Partial<Pick<StoreRequest, 'storageClass' | 'bytes' | 'code'>>;

const codeOf = (error: unknown): string => (isArchiverError(error) ? error.code : 'internal');

/**
 * Times requests. `begin` sends one, and returns its answer with a function that ends it (unless it failed, which ends it); `during` times a
 * whole one.
 */
function watch(onRequest: OnRequest, ofAll: About) {
  const begin = async <T>(kind: RequestKind, about: About & Told, work: () => Promise<T>) => {
    const { key, storageClass = STANDARD, bytes = 0 } = about;
    const begun: BegunRequest = { kind, ...ofAll, ...(key !== undefined && { key }), startedMs: nowMs() };
    const ended = onRequest(begun);
    const kept: { last?: HttpExchange } = {};
    const end = (told: Told = {}): void => {
      const http = kept.last && { http: kept.last };
      ended({ ...begun, storageClass, bytes, durationMs: nowMs() - begun.startedMs, ...http, ...told });
    };
    try {
      const answer = await keepExchange(kept, work);
      return { answer, end, drop: () => (kept.last === undefined ? ended(undefined) : end()) };
    } catch (error) {
      end({ code: codeOf(error) });
      throw error;
    }
  };
  const during = async <T>(kind: RequestKind, about: About & Told, work: () => Promise<T>): Promise<T> => {
    const { answer, end } = await begin(kind, about, work);
    end();
    return answer;
  };
  return { begin, during };
}

/** Wraps a store so that `onRequest` is told of each request when it begins and when it has ended. */
export function observeStore(store: WholeStore, onRequest: OnRequest): WholeStore {
  const place = parseStoreUrl(store.url);
  const { begin, during } = watch(onRequest, place.kind === 's3' ? { bucket: place.bucket } : {});
  async function* pages<T>(from: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = from[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { answer, end, drop } = await begin('list', {}, () => iterator.next());
        // Mostly nothing was sent to find out that the page before was the last one.
        if (answer.done === true) return drop();
        end();
        yield answer.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return {
    url: store.url,
    async get(key, options) {
      const { answer, end } = await begin('get', { key }, () => store.get(key, options));
      const { storageClass = STANDARD, sizeBytes: bytes, body } = answer;
      body.once('close', () =>
        end({ storageClass, bytes, ...(body.errored !== null && { code: codeOf(body.errored) }) }),
      );
      return answer;
    },
    head: (key, signal) => during('head', { key }, () => store.head(key, signal)),
    time: (signal) => during('list', {}, () => store.time(signal)),
    list: (options) => pages(store.list(options)),
    put: (key, body, options) => {
      const told = { key, storageClass: options?.storageClass ?? STANDARD, bytes: body.byteLength };
      return during('put', told, () => store.put(key, body, options));
    },
    abortMultipart: (key, ...call) => during('delete', { key }, () => store.abortMultipart(key, ...call)),
    listMultipart: (...call) => store.listMultipart(...call),
    delete: (...call) => during('delete', {}, () => store.delete(...call)),
    listVersions: (options) => pages(store.listVersions(options)),
    deleteVersions: (...call) => during('delete', {}, () => store.deleteVersions(...call)),
    copy: (from, to, options) => during('copy', { key: to }, () => store.copy(from, to, options)),
    thaw: (key, options) => during('restore', { key }, () => store.thaw(key, options)),
  };
}

/** Does the same for a key service. */
export function observeKeys(keys: KeyService, onRequest: OnRequest): KeyService {
  const { during } = watch(onRequest, {});
  return {
    generate: (...call) => during('kms', {}, () => keys.generate(...call)),
    decrypt: (...call) => during('kms', {}, () => keys.decrypt(...call)),
  };
}
