// Retries requests that may succeed next time (retrier.ts says when). One answer changes its meaning on a repeated
// request, because the first one may have worked although its answer was lost: a `conflict` of a conditional put is
// passed up with `afterRetry` (the committer checks whether the object is its own).
import type { ObjectVersionId, WholeStore } from '../object-store.js';
import { Retrier, DEFAULT_RETRY, type RetryOptions } from './retrier.js';
import { deleteAgain } from './retry-delete.js';
import { listAgain, listMultipartAgain, listVersionsAgain } from './retry-list.js';

/** A store that retries. */
export function withRetry(store: WholeStore, options: RetryOptions = DEFAULT_RETRY): WholeStore {
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
    time: (signal) => run('ask for the time', signal, () => store.time(signal)),
    list: (list = {}) => listAgain(store, retrier, list),
    put: (key, body, put) => run(`put ${key}`, put?.signal, () => store.put(key, body, put)),
    abortMultipart: (key, id, signal) => run(`abort ${key}`, signal, () => store.abortMultipart(key, id, signal)),
    listMultipart: (...call) => listMultipartAgain(store, retrier, ...call),
    delete: (items, signal) =>
      deleteAgain(retrier, { items, send: (keys) => store.delete(keys, signal), itemOf: ({ key }) => key }, signal),
    listVersions: (list = {}) => listVersionsAgain(store, retrier, list),
    deleteVersions: (items, signal) =>
      deleteAgain(
        retrier,
        {
          items,
          send: (versions) => store.deleteVersions(versions, signal),
          itemOf: ({ key, versionId = 'null' }): ObjectVersionId => ({ key, versionId }),
        },
        signal,
      ),
    copy: (from, to, write) => run(`copy ${to}`, write?.signal, () => store.copy(from, to, write)),
    thaw: (key, thaw) => run(`restore ${key}`, thaw.signal, () => store.thaw(key, thaw)),
  };
}
