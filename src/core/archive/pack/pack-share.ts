// Packs one piece of a file whose other pieces workers elsewhere pack at the same time. A file of two states would be nobody's: unless it is
// the one that was planned before and after the piece is read, all of it is left out. The checksums of the whole file are made with its last
// piece, by reading it from its beginning: MD5 cannot be put together from pieces.
import { readSync } from 'node:fs';
import { STATUS } from '../../format/columns/entry-table.js';
import { padded } from '../../format/tar/tar-block.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { PackedSegment } from '../run/packed-chunk.js';
import { CHANGED_SINCE, isPathError, NotArchivable, reasonOf } from '../scan/skip.js';
import { ContentDigests } from './content-digests.js';
import { keepHoles, pieceHeader } from './pack-piece.js';
import type { PackState } from './pack-state.js';

const READ_BYTES = 1 << 20;
const NO_DIGESTS = new ContentDigests({ fileChecksums: false });

type Part = NonNullable<ChunkTask['part']>;

/** Packs a piece of a share; undefined when the file is left out. `firstRow` is that of the share's first piece. */
export function packShare(state: PackState, task: ChunkTask, part: Part, firstRow: number): PackedSegment | undefined {
  const index = task.entries[0] ?? 0;
  const { status, chunk } = state.deps.table.columns;
  chunk[index] = task.chunk;
  const mark = state.mark();
  try {
    if (Atomics.load(status, firstRow) === STATUS.skipped) throw new NotArchivable(CHANGED_SINCE);
    const offset = packPiece(state, index, part);
    // The first row may have been left out meanwhile, for another piece.
    Atomics.compareExchange(status, index, STATUS.piece, STATUS.packedPiece);
    return { index, offset, size: part.size };
  } catch (error) {
    if (!isPathError(error)) throw error;
    state.rewind(mark);
    leaveOut(state, index, firstRow, reasonOf(error, 'cannot be read'));
    return undefined;
  }
}

/** Returns where the content begins in the tar stream. @throws NotArchivable, system errors */
function packPiece(state: PackState, index: number, part: Part): number {
  const isLast = part.number === part.of;
  const fd = openAsPlanned(state, index);
  let offset: number;
  try {
    if (isLast) digestWhole(state, index, fd);
    pieceHeader(state, index, part, fd);
    offset = state.frames.position;
    state.deps.table.columns.offset[index] = offset;
    if (state.copyData(fd, part.offset, part.size, NO_DIGESTS) < part.size) throw new NotArchivable(CHANGED_SINCE);
    state.frames.zeros(padded(part.size) - part.size);
    if (isLast) keepHoles(state, index, fd);
  } finally {
    state.deps.fs.close(fd);
  }
  // Opened again: a network file system asks its server then.
  state.deps.fs.close(openAsPlanned(state, index));
  if (isLast) state.countFiles(1);
  return offset;
}

/** @throws NotArchivable for a file that is not the one that was planned */
function openAsPlanned(state: PackState, index: number): number {
  const fd = state.open(index);
  try {
    state.examine(fd);
    if (state.differs(index)) throw new NotArchivable(CHANGED_SINCE);
    return fd;
  } catch (error) {
    state.deps.fs.close(fd);
    throw error;
  }
}

/** Makes the checksums of the whole file. @throws NotArchivable where it has become shorter */
function digestWhole(state: PackState, index: number, fd: number): void {
  const digests = state.newDigests();
  if (!digests.isNeeded) return;
  const size = state.deps.table.columns.size[index] ?? 0;
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; at < size;) {
    const got = readSync(fd, buffer, 0, Math.min(READ_BYTES, size - at), at);
    if (got === 0) throw new NotArchivable(CHANGED_SINCE);
    digests.update(buffer.subarray(0, got));
    state.throwIfStopping();
    at += got;
  }
  digests.writeTo(state.deps.table, index);
}

/** Leaves the file out, and reports it once: threads pack its pieces side by side. */
function leaveOut(state: PackState, index: number, firstRow: number, reason: string): void {
  const { table } = state.deps;
  const { status } = table.columns;
  state.extras.delete(index);
  if (index !== firstRow) status[index] = STATUS.skipped;
  if (Atomics.exchange(status, firstRow, STATUS.skipped) === STATUS.skipped) return;
  state.skipped.push({ path: table.path(index), reason, special: false });
}
