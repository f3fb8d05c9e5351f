// What read-only commands get: the other methods are not there at all, so nothing can call them by mistake.
import type { ObjectReader } from './object-store.js';

/** The reading half of a store, and nothing else. */
export function readOnly({ url, get, head, list }: ObjectReader): ObjectReader {
  return { url, get, head, list };
}
