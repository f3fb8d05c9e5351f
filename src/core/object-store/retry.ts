// Sends again what the store or the network may answer differently next time (retrier.ts says when). Two answers
// change their meaning on a repeated request, because the first one may have worked although its answer was lost:
// a `conflict` of a conditional put is passed up with `afterRetry` (the committer looks whether the object is its own),
// and a multipart upload that is gone is looked for under its key.
import type { ObjectStore, PutResult, UploadedPart, VersionName } from './object-store.js';
import { Retrier, DEFAULT_RETRY, type RetryOptions } from './retrier.js';
import { deleteAgain } from './retry-delete.js';
import { listAgain, listMultipartAgain, listVersionsAgain } from './retry-list.js';
import { multipartEtag } from './s3-etag.js';
import { StoreError } from './store-error.js';

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
    time: (signal) => run('ask for the time', signal, () => store.time(signal)),
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
    delete: (items, signal) =>
      deleteAgain(retrier, { items, send: (keys) => store.delete(keys, signal), itemOf: ({ key }) => key }, signal),
    listVersions: (list = {}) => listVersionsAgain(store, retrier, list),
    deleteVersions: (items, signal) =>
      deleteAgain(
        retrier,
        {
          items,
          send: (versions) => store.deleteVersions(versions, signal),
          itemOf: ({ key, versionId = 'null' }): VersionName => ({ key, versionId }),
        },
        signal,
      ),
    copy: (from, to, write) => run(`copy ${to}`, write?.signal, () => store.copy(from, to, write)),
    thaw: (key, thaw) => run(`restore ${key}`, thaw.signal, () => store.thaw(key, thaw)),
  };
}
