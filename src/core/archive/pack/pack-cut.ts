// Packs one piece of a file that is cut over several chunks. One worker packs all pieces of a file in order, so that the
// file's MD5 runs through them and a change in between is seen.
import type { ChunkTask } from '../plan/chunk-task.js';
import type { TwinPacker } from '../dedup/dedup-pack.js';
import { type RawPath, rawFromNumber, rawFromText, withEnd } from '../../paths/raw-path.js';
import { STATUS } from '../scan/entry-table.js';
import type { Md5, PackContext } from './pack-context.js';
import { holesBetween } from './pack-sparse.js';
import { padded } from '../../tar/tar-block.js';
import { concernsOnePath, reasonOf } from '../scan/skip.js';

export interface PackedSegment {
  readonly index: number;
  /** In the chunk's tar stream. */
  readonly offset: number;
  readonly size: number;
}

type Part = NonNullable<ChunkTask['part']>;

export class CutFilePacker {
  private md5: Md5 | undefined;
  private complete = true;

  /** `copyContent` gives the other names of the file what was learnt of it. */
  constructor(
    private readonly context: PackContext,
    private readonly twins: TwinPacker,
    private readonly copyContent: (from: number, to: number) => void,
  ) {}

  /** Undefined when the file could not be read; it is then skipped as a whole. */
  pack(task: ChunkTask, part: Part): PackedSegment | undefined {
    const index = task.entries[0] ?? 0;
    const c = this.context.deps.table.columns;
    c.chunk[index] = task.chunk;
    if (part.number === 1) this.twins.note(index);
    const segment = this.packPiece(task, part, index);
    for (const other of task.entries) if (c.status[other] === STATUS.twin) this.twins.settle(other);
    return segment;
  }

  private packPiece(task: ChunkTask, part: Part, index: number): PackedSegment | undefined {
    const { status } = this.context.deps.table.columns;
    const names = task.entries.filter((entry) => status[entry] !== STATUS.twin);
    if (part.number > 1 && status[index] === STATUS.skipped) {
      for (const other of names.subarray(1)) this.context.skip(other, 'another name of it could not be read');
      return undefined;
    }
    const mark = this.context.mark();
    let fd: number | undefined;
    try {
      fd = this.context.open(index);
      return this.read(names, part, index, fd);
    } catch (error) {
      if (!concernsOnePath(error)) throw error;
      this.context.rewind(mark);
      for (const entry of names) this.context.skip(entry, reasonOf(error, 'cannot be read'));
      return undefined;
    } finally {
      if (fd !== undefined) this.context.deps.fs.close(fd);
    }
  }

  private read(names: Uint32Array, part: Part, index: number, fd: number): PackedSegment {
    const { context } = this;
    const { deps, frames } = context;
    const c = deps.table.columns;
    const path = deps.table.path(index);
    context.examine(fd);
    if (part.number === 1) this.begin(index, fd);
    const isLast = part.number === part.of;
    // With the first piece for those who put the file together by hand, with the last for the manifest.
    const xattrs = isLast || part.number === 1 ? context.keepXattrs(index, deps.fs.xattrs(fd)) : undefined;
    const pax = new Map<string, RawPath>([
      ['ARCHIVER.part.path', path],
      ['ARCHIVER.part.number', rawFromNumber(part.number)],
      ['ARCHIVER.part.of', rawFromNumber(part.of)],
      ['ARCHIVER.part.offset', rawFromNumber(part.offset)],
      ['ARCHIVER.part.size', rawFromNumber(c.size[index] ?? 0)],
      ...(xattrs ?? []),
    ]);
    const name = withEnd(path, rawFromText(`.part-${pad5(part.number)}-of-${pad5(part.of)}`));
    context.header({ ...context.member(index, '0', part.size, pax), path: name });
    const offset = frames.position;
    c.offset[index] = offset;
    const md5 = this.md5 ?? context.newMd5();
    const got = context.copyData(fd, part.offset, part.size, md5);
    // The plan says how large every piece is: what is missing is stored as zeros.
    if (got < part.size) this.complete = false;
    context.zeroData(part.size - got, md5);
    frames.zeros(padded(part.size) - part.size);
    if (isLast) this.finish(names, index, fd, md5);
    return { index, offset, size: part.size };
  }

  private begin(index: number, fd: number): void {
    const { context } = this;
    this.md5 = context.newMd5();
    this.complete = true;
    // Touched or replaced since the scan, but as large as planned: it can still be stored as it is now.
    if (context.stat.size === context.deps.table.columns.size[index]) context.refresh(index, fd);
  }

  /** They are stored as zeros; whoever restores the file need not write them. */
  private keepHoles(index: number, fd: number): void {
    const { extras, deps } = this.context;
    const { size, allocated } = deps.table.columns;
    const bytes = size[index] ?? 0;
    const extents = (allocated[index] ?? 0) < bytes ? deps.fs.extents(fd, bytes) : undefined;
    if (extents !== undefined) extras.set(index, { ...extras.get(index), holes: holesBetween(extents, bytes) });
  }

  private finish(names: Uint32Array, index: number, fd: number, md5: Md5): void {
    const { context } = this;
    const { inode } = context.deps.table.columns;
    context.examine(fd);
    context.settle(index, this.complete && !context.differs(index));
    context.setMd5(index, md5);
    this.keepHoles(index, fd);
    context.countFiles(names.length);
    for (const other of names.subarray(1)) {
      if (inode[other] === inode[index]) this.copyContent(index, other);
      else context.skip(other, 'another name of it was replaced while it was being read');
    }
  }
}

const pad5 = (value: number): string => String(value).padStart(5, '0');
