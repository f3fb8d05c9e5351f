// Packs one piece of a file that is cut over several chunks. One worker packs all pieces of a file in order, so that the
// file's MD5 runs through them and a change in between is seen.
import type { ChunkTask } from '../run/chunk-task.js';
import type { PackedSegment } from '../run/packed-chunk.js';
import type { TwinPacker } from './pack-twins.js';
import { STATUS } from '../../format/columns/entry-table.js';
import type { ContentDigests } from './content-digests.js';
import type { PackState } from './pack-state.js';
import { keepHoles, pieceHeader } from './pack-piece.js';
import { padded } from '../../format/tar/tar-block.js';
import { isPathError, reasonOf } from '../scan/skip.js';

type Part = NonNullable<ChunkTask['part']>;

export class CutFilePacker {
  private digests: ContentDigests | undefined;
  private complete = true;

  /** `copyContent` copies to another name of the file what was recorded of it. */
  constructor(
    private readonly state: PackState,
    private readonly twins: TwinPacker,
    private readonly copyContent: (from: number, to: number) => void,
  ) {}

  /** Packs one piece; undefined when the file could not be read, which is then skipped as a whole. */
  pack(task: ChunkTask, part: Part): PackedSegment | undefined {
    const index = task.entries[0] ?? 0;
    const c = this.state.deps.table.columns;
    c.chunk[index] = task.chunk;
    if (part.number === 1) this.twins.note(index);
    const segment = this.packPiece(task, part, index);
    for (const other of task.entries) if (c.status[other] === STATUS.twin) this.twins.settle(other);
    return segment;
  }

  private packPiece(task: ChunkTask, part: Part, index: number): PackedSegment | undefined {
    const { status } = this.state.deps.table.columns;
    const names = task.entries.filter((entry) => status[entry] !== STATUS.twin);
    if (part.number > 1 && status[index] === STATUS.skipped) {
      for (const other of names.subarray(1)) this.state.skip(other, 'another name of it could not be read');
      return undefined;
    }
    const mark = this.state.mark();
    let fd: number | undefined;
    try {
      fd = this.state.open(index);
      return this.read(names, part, index, fd);
    } catch (error) {
      if (!isPathError(error)) throw error;
      this.state.rewind(mark);
      for (const entry of names) this.state.skip(entry, reasonOf(error, 'cannot be read'));
      return undefined;
    } finally {
      if (fd !== undefined) this.state.deps.fs.close(fd);
    }
  }

  private read(names: Uint32Array, part: Part, index: number, fd: number): PackedSegment {
    const { state } = this;
    const { deps, frames } = state;
    const c = deps.table.columns;
    state.examine(fd);
    if (part.number === 1) this.begin(index, fd);
    const isLast = part.number === part.of;
    pieceHeader(state, index, part, fd);
    const offset = frames.position;
    c.offset[index] = offset;
    const digests = this.digests ?? state.newFrameDigests();
    const got = state.copyData(fd, part.offset, part.size, digests);
    // The plan says how large every piece is: missing bytes are stored as zeros.
    if (got < part.size) this.complete = false;
    state.zeroData(part.size - got, digests);
    frames.zeros(padded(part.size) - part.size);
    if (isLast) this.finish(names, index, fd, digests);
    return { index, offset, size: part.size };
  }

  private begin(index: number, fd: number): void {
    const { state } = this;
    this.digests = state.newFrameDigests();
    this.complete = true;
    // A file that was touched or replaced since the scan can be stored as it is now if it is as large as planned.
    if (state.stat.size === state.deps.table.columns.size[index]) state.refresh(index, fd);
  }

  private finish(names: Uint32Array, index: number, fd: number, digests: ContentDigests): void {
    const { state } = this;
    const { inode } = state.deps.table.columns;
    state.examine(fd);
    state.settle(index, this.complete && !state.differs(index));
    digests.writeTo(state.deps.table, index);
    keepHoles(state, index, fd);
    state.countFiles(1);
    for (const other of names.subarray(1)) {
      if (inode[other] === inode[index]) {
        this.copyContent(index, other);
        state.countFiles(1);
      } else state.skip(other, 'another name of it was replaced while it was being read');
    }
  }
}
