import { type EntryTable, KIND } from '../../format/columns/entry-table.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

/** Whether a path is a row of a table, which has its rows in path order. */
export function isScanned(table: EntryTable, path: RawPath): boolean {
  const { count, columns } = table;
  let low = 0;
  for (let high = count; low < high;) {
    const middle = (low + high) >>> 1;
    if (table.path(middle) < path) low = middle + 1;
    else high = middle;
  }
  return low < count && table.path(low) === path && columns.kind[low] !== KIND.dropped;
}
