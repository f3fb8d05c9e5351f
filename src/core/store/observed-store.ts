// Reports how long each request to a store took and how it ended, for metrics and traces. It sits where the meter of the ledger does, below
// the retry decorator, so each attempt is reported. A fetch ends with its last byte.
import { isArchiverError } from '../platform/failures/errors.js';
import type { KeyService } from './key-service.js';
import type { RequestKind, StoreRequest } from '../events/observer.js';
import { STANDARD } from './meter.js';
import type { WholeStore } from './object-store.js';

type Told = Partial<Pick<StoreRequest, 'key' | 'storageClass' | 'bytes' | 'code'>>;
type OnRequest = (request: StoreRequest) => void;

const nowMs = (): number => performance.timeOrigin + performance.now();

const codeOf = (error: unknown): string => (isArchiverError(error) ? error.code : 'internal');

/** Times requests: `begin` returns a function that ends one, `during` times a whole one. */
function watch(onRequest: OnRequest) {
  const begin = (kind: RequestKind) => {
    const startedMs = nowMs();
    return (told: Told = {}): void =>
      onRequest({ kind, storageClass: STANDARD, bytes: 0, startedMs, durationMs: nowMs() - startedMs, ...told });
  };
  const during = async <T>(kind: RequestKind, told: Told, work: () => Promise<T>): Promise<T> => {
    const end = begin(kind);
    try {
      const answer = await work();
      end(told);
      return answer;
    } catch (error) {
      end({ ...told, code: codeOf(error) });
      throw error;
    }
  };
  return { begin, during };
}

/** Wraps a store so that `onRequest` is called with each request when it has ended. */
export function observeStore(store: WholeStore, onRequest: OnRequest): WholeStore {
  const { begin, during } = watch(onRequest);
  async function* pages<T>(from: AsyncIterable<T>): AsyncGenerator<T> {
    let end = begin('list');
    try {
      for await (const page of from) {
        end();
        yield page;
        end = begin('list');
      }
    } catch (error) {
      end({ code: codeOf(error) });
      throw error;
    }
  }
  return {
    url: store.url,
    async get(key, options) {
      const end = begin('get');
      try {
        const content = await store.get(key, options);
        const { storageClass = STANDARD, sizeBytes: bytes, body } = content;
        body.once('close', () =>
          end({ key, storageClass, bytes, ...(body.errored !== null && { code: codeOf(body.errored) }) }),
        );
        return content;
      } catch (error) {
        end({ key, code: codeOf(error) });
        throw error;
      }
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
  const { during } = watch(onRequest);
  return {
    generate: (...call) => during('kms', {}, () => keys.generate(...call)),
    decrypt: (...call) => during('kms', {}, () => keys.decrypt(...call)),
  };
}
