// Counts what deduplication saves, by where the files of an upload lie: those that an interrupted run stored count too.
import type { Deduplicated } from '../../format/manifest/manifest-types.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';

/** Counts files that this upload stores where another one lies already, and their bytes; before packing, those that it would. */
export function deduplicatedTotals(table: EntryTable): Deduplicated {
  const { kind, status, size, chunk, offset } = table.columns;
  const rows = new Uint32Array(table.count);
  const at = (column: ArrayLike<number>, row = 0): number => column[row] ?? 0;
  const total = { files: 0, bytes: 0 };
  let count = 0;
  for (let row = 0; row < table.count; row++) {
    const isStored = status[row] === STATUS.stored || status[row] === STATUS.changed;
    if (status[row] === STATUS.twin) add(row);
    if (isStored && kind[row] === KIND.file && (size[row] ?? 0) > 0) rows[count++] = row;
  }
  const distance = (a = 0, b = 0): number => at(chunk, a) - at(chunk, b) || at(offset, a) - at(offset, b);
  const sorted = rows.subarray(0, count).sort(distance);
  for (let position = 1; position < count; position++) {
    if (distance(sorted[position - 1], sorted[position]) !== 0) continue;
    add(sorted[position]);
  }
  return total;

  function add(row = 0): void {
    total.files++;
    total.bytes += at(size, row);
  }
}
