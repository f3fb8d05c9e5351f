// What read-only commands get: the other methods are not there at all, so nothing can call them by mistake.
import type { ObjectReader } from './object-store.js';

/** The reading half of a store, and nothing else. */
export function readOnly(store: ObjectReader): ObjectReader {
  return {
    url: store.url,
    ...(store.keys === undefined ? {} : { keys: store.keys }),
    ...(store.abilities === undefined ? {} : { abilities: store.abilities }),
    get: (...call) => store.get(...call),
    head: (...call) => store.head(...call),
    list: (...call) => store.list(...call),
  };
}
