// Counts files whose whole content is in the store, chunk by chunk; pieces of a cut file arrive in any order.
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import type { ChunkTask } from '../run/chunk-task.js';

export class StoredFiles {
  /** Pieces in the store, by the first entry of their file. */
  private readonly pieces = new Map<number, { readonly done: number; readonly of: number }>();

  constructor(private readonly table: Pick<EntryTable, 'columns'>) {}

  /** Takes a packed chunk that the store has; returns how many files it completes. Files that could not be read are none of them. */
  add({ part, entries }: Pick<ChunkTask, 'part' | 'entries'>): number {
    // Of a file that others pack, too, the last piece counts.
    if (part?.firstRow !== undefined) return Number(part.number === part.of && this.isPacked(entries[0] ?? 0));
    if (part !== undefined && !this.isWhole(entries[0] ?? 0, part.of)) return 0;
    const { kind, status } = this.table.columns;
    const isStored = (index: number): boolean =>
      kind[index] !== KIND.directory && (status[index] === STATUS.stored || status[index] === STATUS.changed);
    return entries.reduce((files, index) => files + Number(isStored(index)), 0);
  }

  private isPacked(row: number): boolean {
    return this.table.columns.status[row] === STATUS.packedPiece;
  }

  /** Counts a piece; `of` is 0 while it is not known. */
  private isWhole(first: number, of: number): boolean {
    const before = this.pieces.get(first) ?? { done: 0, of: 0 };
    const pieces = { done: before.done + 1, of: Math.max(before.of, of) };
    this.pieces.set(first, pieces);
    return pieces.done === pieces.of;
  }
}
