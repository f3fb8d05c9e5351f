// Packs one regular file. Small ones are read straight into the frame, so that header, content and checksum are made from one buffer; a
// file that changed since the scan, or while it is read, is read again before it is given up as `changed`.
import { hash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { PackState, PackMark } from './pack-state.js';
import { padded } from '../../format/tar/tar-block.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { SHA256_BYTES } from '../../format/columns/entry-table.js';
import { packSparse } from './pack-sparse.js';
import { headerBytes, paxFor, writeHeader } from '../../format/tar/write-header.js';

const TRIES = 3;

/**
 * Packs the file at `index`; `mark` is where the chunk is now. @throws the system error when it cannot be opened or read;
 * the chunk must then be rewound
 */
export function packFile(state: PackState, index: number, mark: PackMark): void {
  const { size, allocated } = state.deps.table.columns;
  const plannedBytes = Math.min(size[index] ?? 0, allocated[index] ?? 0);
  const fd = state.open(index);
  try {
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1) state.refresh(index, fd);
      const held = packOnce(state, index, fd, plannedBytes);
      if (held || attempt === TRIES) {
        // A file that never held still is stored as read last, with the times seen before that read.
        state.settle(index, held);
        return;
      }
      state.rewind(mark);
    }
  } finally {
    state.deps.fs.close(fd);
  }
}

/** Packs the file once; false when it changed meanwhile. */
function packOnce(state: PackState, index: number, fd: number, plannedBytes: number): boolean {
  const { deps } = state;
  const c = deps.table.columns;
  const pax = state.keepXattrs(index, deps.fs.xattrs(fd));
  const mayHaveHoles = (c.allocated[index] ?? 0) < (c.size[index] ?? 0);
  const held = mayHaveHoles ? packSparse(state, index, fd, pax, plannedBytes) : undefined;
  if (held === undefined) state.checkGrowth(c.size[index] ?? 0, plannedBytes);
  return held ?? packSmall(state, index, fd, pax) ?? packLarge(state, index, fd, pax);
}

/** Packs a file that fits into a frame as a whole; undefined when it does not. */
function packSmall(
  state: PackState,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, RawPath> | undefined,
): boolean | undefined {
  const { frames, deps } = state;
  const c = deps.table.columns;
  const size = c.size[index] ?? 0;
  const member = state.member(index, '0', size, xattrs);
  const pax = paxFor(member);
  const before = headerBytes(pax);
  if (!frames.reserve(before + padded(size))) return undefined;
  const got = readFully(fd, frames.buffer, frames.length + before, size);
  state.examine(fd);
  const held = got === size && !state.differs(index);
  c.size[index] = got;
  const data = frames.length + before;
  writeHeader(frames.buffer, frames.length, got === size ? member : { ...member, size: got }, pax);
  if (deps.settings.fileChecksums) state.md5s.add(index, frames.buffer, data, got);
  const content = frames.buffer.subarray(data, data + got);
  if (deps.settings.sha256 === true) deps.table.sha256.write(hash('sha256', content), index * SHA256_BYTES, 'hex');
  state.keepSeeded(index, content);
  frames.buffer.fill(0, data + got, data + padded(got));
  c.offset[index] = frames.position + before;
  state.countBytes(got);
  frames.commit(before + padded(got));
  return held;
}

/** Packs a file of several frames: the header first, then as many bytes as it had when that was written. */
function packLarge(
  state: PackState,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, RawPath> | undefined,
): boolean {
  const { frames, deps } = state;
  const c = deps.table.columns;
  state.refresh(index, fd);
  const size = c.size[index] ?? 0;
  state.header(state.member(index, '0', size, xattrs));
  c.offset[index] = frames.position;
  const digests = state.newFrameDigests();
  const got = state.copyData(fd, 0, size, digests);
  state.zeroData(size - got, digests);
  frames.zeros(padded(size) - size);
  state.examine(fd);
  digests.writeTo(deps.table, index);
  return got === size && !state.differs(index);
}

/** Reads a file from its start, until `length` bytes are read or it ends. @returns how many were read @throws system errors */
export function readFully(fd: number, into: Buffer, at = 0, length = into.length): number {
  let done = 0;
  while (done < length) {
    const got = readSync(fd, into, at + done, length - done, done);
    if (got === 0) break;
    done += got;
  }
  return done;
}
