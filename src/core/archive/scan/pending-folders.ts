// Folders that a scan has met and not listed yet.
import type { RawPath } from '../../platform/paths/raw-path.js';

/** A folder that waits to be listed at its turn in byte order, as `name/`. */
export interface PendingFolder {
  readonly key: string;
  readonly path: RawPath;
  readonly index: number;
  readonly keep: boolean;
}

/** Inserts an item into a list that is sorted by keys. */
export function insertSorted<T extends { readonly key: string }>(list: T[], item: T): void {
  let at = list.length;
  while (at > 0 && (list[at - 1]?.key ?? '') > item.key) at--;
  list.splice(at, 0, item);
}
