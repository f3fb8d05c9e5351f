// Packs files that become objects of their own: their bytes as they are, one file after another in front of the chunk in its output buffer.
// A file that changes while it is read is read again as for a tar stream (pack-file.ts); a file that cannot be read leaves nothing, and one
// with holes is left to the tar stream, which keeps them.
import { hash } from 'node:crypto';
import type { ChunkRecord, FrameRecord } from '../../format/manifest/manifest-types.js';
import type { ChunkTask, DirectFile } from '../run/chunk-task.js';
import type { PackedObject } from '../run/packed-chunk.js';
import type { PackState } from './pack-state.js';
import { readFully } from './pack-file.js';
import { isPathError, reasonOf } from '../scan/skip.js';

const TRIES = 3;

/** Packs the direct files of `task` at the start of the output. Rows that are to go into the tar stream stay pending. */
export function packDirect(state: PackState, task: ChunkTask): readonly PackedObject[] {
  return (task.direct ?? []).flatMap((file) => {
    const bytes = state.bytes;
    try {
      return packOne(state, task, file) ?? [];
    } catch (error) {
      if (!isPathError(error)) throw error;
      state.countBytes(bytes - state.bytes);
      state.skip(file.index, reasonOf(error, 'cannot be read'));
      return [];
    }
  });
}

/** Packs one file; undefined for one with holes. @throws the system error when it cannot be opened or read */
function packOne(state: PackState, task: ChunkTask, file: DirectFile): PackedObject | undefined {
  const { index, chunk } = file;
  const { deps, frames } = state;
  const c = deps.table.columns;
  const plannedBytes = c.size[index] ?? 0;
  const fd = state.open(index);
  try {
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1) state.refresh(index, fd);
      const size = c.size[index] ?? 0;
      if ((c.allocated[index] ?? 0) < size && deps.fs.extents(fd, size) !== undefined) return undefined;
      state.checkGrowth(size, plannedBytes);
      state.keepXattrs(index, deps.fs.xattrs(fd));
      const got = readFully(fd, frames.chunk.space(size));
      state.examine(fd);
      const held = got === size && !state.differs(index);
      if (!held && attempt < TRIES) continue;
      c.size[index] = got;
      c.chunk[index] = chunk;
      c.offset[index] = 0;
      state.countBytes(got);
      state.countFiles(1);
      state.settle(index, held);
      return stored(state, task, file, got);
    }
  } finally {
    deps.fs.close(fd);
  }
}

/** Makes the record of the file whose bytes are in the output, and writes its checksums to the table. */
function stored(state: PackState, task: ChunkTask, file: DirectFile, size: number): PackedObject {
  const { frames, deps } = state;
  const { table, settings } = deps;
  const start = frames.chunk.length;
  const bytes = frames.chunk.space(size);
  frames.chunk.length += size;
  if (settings.fileChecksums) table.md5.write(hash('md5', bytes), file.index * 16, 'hex');
  state.keepSeeded(file.index, bytes);
  const found = framesOf(bytes, settings.frameBytes);
  const record: ChunkRecord = {
    chunk: file.chunk,
    key: file.key,
    shard: task.shard,
    size,
    rawSize: size,
    entries: 1,
    level: 0,
    storageClass: task.storageClass,
    // The file of one frame is that frame.
    sha256: (found.length === 1 ? found[0]?.sha256 : undefined) ?? hash('sha256', bytes),
    tocSize: 0,
    frames: found,
    content: 'file',
    listedIn: task.chunk,
  };
  return { record, start };
}

function framesOf(bytes: Buffer, frameBytes: number): readonly FrameRecord[] {
  const step = frameBytes === 0 ? bytes.length : frameBytes;
  const found: FrameRecord[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    const frame = bytes.subarray(at, at + step);
    found.push({ size: frame.length, rawSize: frame.length, sha256: hash('sha256', frame) });
  }
  return found;
}

/** Fills `into` from the start of the file; returns how many bytes there were. */
