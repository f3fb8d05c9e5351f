// Counts requests as S3 bills them. It sits below the retry decorator, so that every attempt counts. A listing counts a
// request for each page; deleting counts one for each batch.
import type { ObjectStore, RequestCounts } from './object-store.js';

const DELETE_BATCH = 1000;

/** All zero. */
export const newRequestCounts = (): RequestCounts => ({
  put: 0,
  get: 0,
  list: 0,
  head: 0,
  delete: 0,
  copy: 0,
  other: 0,
});

async function* counted<T>(pages: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  // Whatever comes of it, asking for a page is a request; the end after the last page is not.
  let isAsked = false;
  try {
    for await (const page of pages) {
      isAsked = true;
      count();
      yield page;
      isAsked = false;
    }
    isAsked = true;
  } finally {
    if (!isAsked) count();
  }
}

/** Adds each request sent through the result to `counts`. */
export function countRequests(store: ObjectStore, counts: RequestCounts): ObjectStore {
  const add = (kind: keyof RequestCounts, by = 1): void => {
    counts[kind] += by;
  };
  return {
    url: store.url,
    get: (...call) => (add('get'), store.get(...call)),
    head: (...call) => (add('head'), store.head(...call)),
    list: (...call) => counted(store.list(...call), () => add('list')),
    put: (...call) => (add('put'), store.put(...call)),
    createMultipart: (...call) => (add('put'), store.createMultipart(...call)),
    uploadPart: (...call) => (add('put'), store.uploadPart(...call)),
    completeMultipart: (...call) => (add('put'), store.completeMultipart(...call)),
    abortMultipart: (...call) => (add('delete'), store.abortMultipart(...call)),
    listMultipart: async function* (...call) {
      add('list');
      yield* store.listMultipart(...call);
    },
    delete: (keys, signal) => (add('delete', Math.ceil(keys.length / DELETE_BATCH)), store.delete(keys, signal)),
    copy: (...call) => (add('copy'), store.copy(...call)),
    thaw: (...call) => (add('other'), store.thaw(...call)),
  };
}
