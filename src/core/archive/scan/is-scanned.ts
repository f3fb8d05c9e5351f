import { type EntryTable, KIND } from '../../format/columns/entry-table.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

/** Whether a path is a row of a table, which has its rows in path order. */
export function isScanned({ count, columns, path: pathOf }: EntryTable, path: RawPath): boolean {
  let low = 0;
  for (let high = count; low < high;) {
    const middle = (low + high) >>> 1;
    if (pathOf(middle) < path) low = middle + 1;
    else high = middle;
  }
  return low < count && pathOf(low) === path && columns.kind[low] !== KIND.dropped;
}
