import { STATE, type SelectedTable } from './selected-table.js';

export interface EntryCounts {
  /** Everything but folders. */
  readonly files: number;
  readonly directories: number;
  /** Sum of the files' sizes. */
  readonly bytes: number;
  /** Kept because they are in place already. */
  readonly unchanged: number;
  /** Kept because `overwrite` says so. */
  readonly skipped: number;
}

/** Counts the entries that are in `state`, and those that are kept whatever it is. */
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
