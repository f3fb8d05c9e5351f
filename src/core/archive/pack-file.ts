// Packs one regular file. Small ones are read straight into the frame, so that header, content and checksum are made
// from one buffer; a file that moved on since the scan is read again before it is given up as `changed`.
import { hash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { PackContext } from './pack-context.js';
import { padded } from './pack-context.js';
import { packSparse } from './pack-sparse.js';
import { headerBytes, paxFor, writeHeader } from './tar-header.js';

const TRIES = 3;

/** Packs the file at `index`. @throws the system error when it cannot be opened or read */
export function packFile(context: PackContext, index: number): void {
  const { deps } = context;
  const c = deps.table.columns;
  const fd = context.open(index);
  try {
    const pax = context.keepXattrs(index, deps.fs.xattrs(fd));
    const mayHaveHoles = (c.allocated[index] ?? 0) < (c.size[index] ?? 0);
    if (mayHaveHoles && packSparse(context, index, fd, pax)) return;
    if (!packSmall(context, index, fd, pax)) packLarge(context, index, fd, pax);
  } finally {
    deps.fs.close(fd);
  }
}

/** A file that fits a frame as a whole. False when it does not. */
function packSmall(
  context: PackContext,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, string> | undefined,
): boolean {
  const { frames, deps, stat } = context;
  const c = deps.table.columns;
  for (let attempt = 1; ; attempt++) {
    const size = c.size[index] ?? 0;
    const member = context.member(index, '0', size, xattrs);
    const pax = paxFor(member);
    const before = headerBytes(pax);
    if (!frames.reserve(before + padded(size))) return false;
    const got = readFully(fd, frames.buffer, frames.length + before, size);
    deps.fs.fstat(fd, stat);
    const held = got === size && !context.differs(index);
    if (!held && attempt < TRIES) {
      context.refresh(index, fd);
      continue;
    }
    // Never still: what was read last is stored, at the times seen before that read.
    c.size[index] = got;
    context.settle(index, held);
    const data = frames.length + before;
    writeHeader(frames.buffer, frames.length, got === size ? member : { ...member, size: got }, pax);
    if (deps.settings.fileChecksums) {
      deps.table.md5.set(hash('md5', frames.buffer.subarray(data, data + got), 'buffer'), index * 16);
    }
    frames.buffer.fill(0, data + got, data + padded(got));
    c.offset[index] = frames.position + before;
    context.countBytes(got);
    frames.commit(before + padded(got));
    return true;
  }
}

/** A file of several frames: the header first, then as much as it had when that was written. */
function packLarge(
  context: PackContext,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, string> | undefined,
): void {
  const { frames, deps } = context;
  const c = deps.table.columns;
  context.refresh(index, fd);
  const size = c.size[index] ?? 0;
  context.header(context.member(index, '0', size, xattrs));
  c.offset[index] = frames.position;
  const md5 = context.newMd5();
  const got = context.copyData(fd, 0, size, md5);
  frames.zeros(padded(size) - got);
  deps.fs.fstat(fd, context.stat);
  context.settle(index, got === size && !context.differs(index));
  c.size[index] = got;
  context.setMd5(index, md5);
}

function readFully(fd: number, into: Buffer, at: number, length: number): number {
  let done = 0;
  while (done < length) {
    const got = readSync(fd, into, at + done, length - done, done);
    if (got === 0) break;
    done += got;
  }
  return done;
}
