// Keys at which a store can be cut into ranges: its folders, found from the top down with one page of each listing.
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';

export interface SplitOptions {
  /** Enough. */
  readonly wanted: number;
  /** Listings at most. */
  readonly requests: number;
  readonly signal: AbortSignal;
}

/** Folders, with their trailing slash; more than are wanted where a page has more. @throws what the store says to a listing */
export async function splitKeys(reader: ObjectReader, options: SplitOptions): Promise<readonly string[]> {
  const { wanted, requests, signal } = options;
  const folders = [''];
  for (let at = 0; at < folders.length && at < requests && folders.length <= wanted; at++) {
    throwIfCancelled(signal);
    for await (const { prefixes } of reader.list({ prefix: folders[at], delimiter: '/', signal })) {
      for (const prefix of prefixes) folders.push(prefix);
      break;
    }
  }
  return folders.slice(1);
}

/** So many of these, evenly. */
export const evenly = (keys: readonly string[], count: number): readonly string[] =>
  keys.length <= count
    ? keys
    : Array.from({ length: count }, (_, index) => keys[Math.floor((index * keys.length) / count)] ?? '');
