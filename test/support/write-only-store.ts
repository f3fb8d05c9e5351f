// A store as a writer sees it that may put and list and nothing else, refused as a policy of S3 refuses.
import type { WholeStore } from '../../src/core/store/object-store.js';
import { StoreError } from '../../src/core/store/store-error.js';

const refused = (what: string): StoreError =>
  new StoreError('access-denied', `${what} is not allowed`, { reason: 'AccessDenied', isRefused: true });

/** The store; requests that were refused are added to `denied`. */
export function writeOnlyStore(store: WholeStore, denied: string[]): WholeStore {
  const refuse = (what: string): Promise<never> => {
    denied.push(what);
    return Promise.reject(refused(what));
  };
  return {
    ...store,
    get: (key) => refuse(`get ${key}`),
    head: (key) => refuse(`head ${key}`),
    delete: (keys) => refuse(`delete ${keys.join(' ')}`),
    deleteVersions: () => refuse('deleteVersions'),
    copy: (from) => refuse(`copy ${from}`),
    thaw: (key) => refuse(`thaw ${key}`),
    time: () => refuse('time'),
    abortMultipart: (key) => refuse(`abortMultipart ${key}`),
    listMultipart: () => {
      throw refused('listMultipart');
    },
    listVersions: () => {
      throw refused('listVersions');
    },
  };
}
