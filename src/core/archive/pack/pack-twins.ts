// Lets a file refer to the stored content of an equal one. The two were equal when they were hashed; so that no entry ever
// refers to bytes that are not its own, the first must have been stored exactly as it was then, and the other must still
// look as it did. Otherwise the row is pending again, and is packed by itself later.
import type { PackState } from './pack-state.js';
import { copyDigests, STATUS } from '../../format/columns/entry-table.js';
import { isPathError } from '../scan/skip.js';

/** Settles the twins of one worker's chunks. */
export class TwinPacker {
  /** Stamps of rows that others refer to, taken before they are packed: as they were hashed. */
  private readonly before = new Map<number, string>();

  constructor(private readonly state: PackState) {}

  /** Notes the stamps of rows that are about to be packed and that others in the chunk refer to. */
  noteFirsts(entries: Uint32Array): void {
    const { status, link } = this.state.deps.table.columns;
    this.before.clear();
    for (const index of entries) if (status[index] === STATUS.twin) this.note(link[index] ?? 0);
  }

  /** Notes one row. */
  note(index: number): void {
    this.before.set(index, this.stamp(index));
  }

  /** Settles the twin at `index`, after the file that it refers to was packed. */
  settle(index: number): void {
    const { table } = this.state.deps;
    const c = table.columns;
    const first = c.link[index] ?? 0;
    c.link[index] = 0;
    if (!this.isStoredAsHashed(first) || !this.isAsHashed(index)) {
      c.status[index] = STATUS.pending;
      this.state.extras.delete(index);
      return;
    }
    c.chunk[index] = c.chunk[first] ?? -1;
    c.offset[index] = c.offset[first] ?? 0;
    copyDigests(table, first, index);
    const holes = this.state.extras.get(first)?.holes;
    if (holes !== undefined) this.state.extras.set(index, { ...this.state.extras.get(index), holes });
    c.status[index] = STATUS.stored;
    this.state.countFiles(1);
  }

  private isStoredAsHashed(first: number): boolean {
    this.state.md5s.run(); // its checksum may still wait for the end of its frame
    const isStored = this.state.deps.table.columns.status[first] === STATUS.stored;
    return isStored && this.before.get(first) === this.stamp(first);
  }

  /** Whether the twin still looks as it was hashed; also reads its extended attributes. */
  private isAsHashed(index: number): boolean {
    const { state } = this;
    try {
      const fd = state.open(index);
      try {
        state.examine(fd);
        if (state.differs(index)) return false;
        state.keepXattrs(index, state.deps.fs.xattrs(fd));
        return true;
      } finally {
        state.deps.fs.close(fd);
      }
    } catch (error) {
      if (isPathError(error)) return false;
      throw error;
    }
  }

  /** Size, times, inode and checksum as text. */
  private stamp(index: number): string {
    const { md5, columns: c } = this.state.deps.table;
    const times = [c.mtimeSeconds[index], c.mtimeNanos[index], c.ctimeSeconds[index], c.ctimeNanos[index]];
    return `${c.size[index]} ${times.join(' ')} ${c.inode[index]} ${md5.toString('hex', index * 16, index * 16 + 16)}`;
  }
}
