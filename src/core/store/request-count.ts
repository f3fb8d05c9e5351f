// Counts requests as S3 bills them. It sits below the retry decorator, so that every attempt counts. A listing counts as one request per
// page, asking for the time as one, and deleting as one per batch.
import type { RequestCounts, WholeStore } from './object-store.js';

const DELETE_BATCH = 1000;

/** Returns counts of zero. */
export const newRequestCounts = (): RequestCounts => ({
  put: 0,
  get: 0,
  list: 0,
  head: 0,
  delete: 0,
  copy: 0,
  other: 0,
});

/** Adds counts to others. */
export function addCounts(sums: RequestCounts, counts: RequestCounts): void {
  for (const kind of Object.keys(counts) as (keyof RequestCounts)[]) sums[kind] += counts[kind];
}

/** Returns the sums of two counts. */
export function sumOfCounts(one: RequestCounts, other: RequestCounts): RequestCounts {
  const sums = { ...one };
  addCounts(sums, other);
  return sums;
}

/** Calls `count` for each page that was asked for. */
export async function* pagesCounted<T>(pages: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  // Requesting a page counts even if it fails; noticing the end after the last page does not.
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
export function countRequests(store: WholeStore, counts: RequestCounts): WholeStore {
  const add = (kind: keyof RequestCounts, by = 1): void => {
    counts[kind] += by;
  };
  const onCall =
    <A extends readonly unknown[], R>(kind: keyof RequestCounts, call: (...args: A) => R) =>
    (...args: A): R => {
      add(kind);
      return call(...args);
    };
  return {
    url: store.url,
    get: onCall('get', (...call) => store.get(...call)),
    head: onCall('head', (...call) => store.head(...call)),
    time: onCall('list', (...call) => store.time(...call)),
    list: (...call) => pagesCounted(store.list(...call), () => add('list')),
    put: onCall('put', (...call) => store.put(...call)),
    abortMultipart: onCall('delete', (...call) => store.abortMultipart(...call)),
    listMultipart: async function* (...call) {
      add('list');
      for await (const upload of store.listMultipart(...call)) {
        if (call[2]?.withSizes === true) add('list');
        yield upload;
      }
    },
    delete: (keys, signal) => {
      add('delete', Math.ceil(keys.length / DELETE_BATCH));
      return store.delete(keys, signal);
    },
    listVersions: (...call) => pagesCounted(store.listVersions(...call), () => add('list')),
    deleteVersions: (versions, signal) => {
      add('delete', Math.ceil(versions.length / DELETE_BATCH));
      return store.deleteVersions(versions, signal);
    },
    copy: onCall('copy', (...call) => store.copy(...call)),
    thaw: onCall('other', (...call) => store.thaw(...call)),
  };
}
