import { STATE, type SelectedTable } from './selected-table.js';

export interface EntryCounts {
  /** Number of entries that are no folders. */
  readonly files: number;
  readonly directories: number;
  /** Sum of the files' sizes. */
  readonly bytes: number;
  /** Number kept because they are in place already. */
  readonly unchanged: number;
  /** Number kept because of `overwrite`. */
  readonly skipped: number;
}

/** Counts the entries in `state`, and those that are kept, in whatever state. */
export function countEntries(table: SelectedTable, state: number): EntryCounts {
  const { columns } = table;
  const counts = { files: 0, directories: 0, bytes: 0, unchanged: 0, skipped: 0 };
  for (let index = 0; index < table.count; index++) {
    if (columns.state[index] === STATE.unchanged) counts.unchanged++;
    else if (columns.state[index] === STATE.skipped) counts.skipped++;
    else if (columns.state[index] !== state) continue;
    else if (table.type(index) === 'directory') counts.directories++;
    else {
      counts.files++;
      counts.bytes += columns.size[index] ?? 0;
    }
  }
  return counts;
}
