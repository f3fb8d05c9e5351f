// The store of read-only commands: other methods are not there at all, so nothing can call them by mistake.
import type { ObjectReader } from './object-store.js';
import { defined } from '../platform/defined.js';

/** Returns the reading half of a store, and nothing else. */
export function readOnly(store: ObjectReader): ObjectReader {
  return {
    url: store.url,
    ...defined({ keys: store.keys, abilities: store.abilities }),
    get: (...call) => store.get(...call),
    head: (...call) => store.head(...call),
    list: (...call) => store.list(...call),
  };
}
