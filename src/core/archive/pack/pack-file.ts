// Packs one regular file. Small ones are read straight into the frame, so that header, content and checksum are made
// from one buffer; a file that moved on since the scan, or while it is read, is read again before it is given up as
// `changed`.
import { hash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { PackContext, PackMark } from './pack-context.js';
import { padded } from '../../tar/tar-block.js';
import type { RawPath } from '../../paths/raw-path.js';
import { SHA256_BYTES } from '../scan/entry-table.js';
import { packSparse } from './pack-sparse.js';
import { headerBytes, paxFor, writeHeader } from '../../tar/write-header.js';

const TRIES = 3;

/**
 * Packs the file at `index`; `mark` is where the chunk is now. @throws the system error when it cannot be opened or read;
 * the chunk must then be rewound
 */
export function packFile(context: PackContext, index: number, mark: PackMark): void {
  const { size, allocated } = context.deps.table.columns;
  const plannedBytes = Math.min(size[index] ?? 0, allocated[index] ?? 0);
  const fd = context.open(index);
  try {
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1) context.refresh(index, fd);
      const held = packOnce(context, index, fd, plannedBytes);
      if (held || attempt === TRIES) {
        // Never still: what was read last is stored, at the times seen before that read.
        context.settle(index, held);
        return;
      }
      context.rewind(mark);
    }
  } finally {
    context.deps.fs.close(fd);
  }
}

/** False when the file changed meanwhile. */
function packOnce(context: PackContext, index: number, fd: number, plannedBytes: number): boolean {
  const { deps } = context;
  const c = deps.table.columns;
  const pax = context.keepXattrs(index, deps.fs.xattrs(fd));
  const mayHaveHoles = (c.allocated[index] ?? 0) < (c.size[index] ?? 0);
  const held = mayHaveHoles ? packSparse(context, index, fd, pax, plannedBytes) : undefined;
  if (held === undefined) context.checkGrowth(c.size[index] ?? 0, plannedBytes);
  return held ?? packSmall(context, index, fd, pax) ?? packLarge(context, index, fd, pax);
}

/** A file that fits a frame as a whole. Undefined when it does not. */
function packSmall(
  context: PackContext,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, RawPath> | undefined,
): boolean | undefined {
  const { frames, deps } = context;
  const c = deps.table.columns;
  const size = c.size[index] ?? 0;
  const member = context.member(index, '0', size, xattrs);
  const pax = paxFor(member);
  const before = headerBytes(pax);
  if (!frames.reserve(before + padded(size))) return undefined;
  const got = readFully(fd, frames.buffer, frames.length + before, size);
  context.examine(fd);
  const held = got === size && !context.differs(index);
  c.size[index] = got;
  const data = frames.length + before;
  writeHeader(frames.buffer, frames.length, got === size ? member : { ...member, size: got }, pax);
  if (deps.settings.fileChecksums) context.md5s.add(index, frames.buffer, data, got);
  if (deps.settings.sha256 === true)
    deps.table.sha256.write(hash('sha256', frames.buffer.subarray(data, data + got)), index * SHA256_BYTES, 'hex');
  frames.buffer.fill(0, data + got, data + padded(got));
  c.offset[index] = frames.position + before;
  context.countBytes(got);
  frames.commit(before + padded(got));
  return held;
}

/** A file of several frames: the header first, then as much as it had when that was written. */
function packLarge(
  context: PackContext,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, RawPath> | undefined,
): boolean {
  const { frames, deps } = context;
  const c = deps.table.columns;
  context.refresh(index, fd);
  const size = c.size[index] ?? 0;
  context.header(context.member(index, '0', size, xattrs));
  c.offset[index] = frames.position;
  const digests = context.newDigests();
  const got = context.copyData(fd, 0, size, digests);
  context.zeroData(size - got, digests);
  frames.zeros(padded(size) - size);
  context.examine(fd);
  digests.writeTo(deps.table, index);
  return got === size && !context.differs(index);
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
