// Counts and checks rows of a table that are still to be packed.
import { ArchiverError } from '../../platform/failures/errors.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { ScannedShare } from '../scan/scan.js';
import { bytesOfPieces } from '../../format/chunk/cut-file.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';

/** Files and bytes that are to be packed. */
export interface PendingTotals {
  readonly files: number;
  readonly bytes: number;
}

const isPending = ({ columns: { status, kind } }: EntryTable, index: number): boolean =>
  status[index] === STATUS.pending && kind[index] !== KIND.dropped;

/** Returns 1 for each row of these chunks, 0 for all others. */
export function rowsOf({ count }: EntryTable, tasks: readonly ChunkTask[]): Uint8Array {
  const rows = new Uint8Array(count);
  for (const { entries } of tasks) for (const index of entries) rows[index] = 1;
  return rows;
}

/**
 * Counts the pending rows and those of `begun`, which are being packed; `entries` includes folders. Twins count as files without bytes to
 * pack, and a share as its pieces.
 */
export function pendingTotals(
  table: EntryTable,
  shares: readonly ScannedShare[] = [],
  begun: readonly ChunkTask[] = [],
): PendingTotals & { readonly entries: number } {
  const { kind, size, status } = table.columns;
  const isBegun = rowsOf(table, begun);
  let [entries, files, bytes] = [0, 0, 0];
  for (let index = 0; index < table.count; index++) {
    if (status[index] === STATUS.twin) files++;
    if (isBegun[index] === 0 && !isPending(table, index)) continue;
    entries++;
    if (kind[index] !== KIND.directory) files++;
    if (kind[index] === KIND.file) bytes += size[index] ?? 0;
  }
  for (const { row, share } of shares) {
    if (row === undefined) continue;
    entries++;
    if (share.last === share.of) files++;
    bytes += bytesOfPieces(size[row] ?? 0, share);
  }
  return { entries, files, bytes };
}

/** @throws internal when a row was neither stored nor skipped */
export function checkNonePending(table: EntryTable): void {
  for (let index = 0; index < table.count; index++) {
    const status = table.columns.status[index];
    if (!isPending(table, index) && status !== STATUS.twin && status !== STATUS.piece) continue;
    const path = displayPath(table.path(index));
    throw new ArchiverError('internal', `${path} was neither stored nor skipped; nothing was committed`);
  }
}
