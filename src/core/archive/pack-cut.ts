// Packs one piece of a file that is cut over several chunks. One worker packs all pieces of a file in order, so that the
// file's MD5 runs through them and a change in between is seen.
import { newStat, type Stat } from '../libc/libc.js';
import type { ChunkJob } from './chunk-plan.js';
import { STATUS } from './entry-table.js';
import type { Md5, PackContext } from './pack-context.js';
import { padded } from './pack-context.js';
import { reasonOf } from './scan.js';

export interface PackedSegment {
  readonly index: number;
  /** In the chunk's tar stream. */
  readonly offset: number;
  readonly size: number;
}

type Part = NonNullable<ChunkJob['part']>;

export class CutFilePacker {
  private md5: Md5 | undefined;
  private began: Stat = newStat();

  /** `copyContent` gives the other names of the file what was learnt of it. */
  constructor(
    private readonly context: PackContext,
    private readonly copyContent: (from: number, to: number) => void,
  ) {}

  /** Undefined when the file could not be read; it is then skipped as a whole. */
  pack(job: ChunkJob, part: Part): PackedSegment | undefined {
    const index = job.entries[0] ?? 0;
    const c = this.context.deps.table.columns;
    c.chunk[index] = job.chunk;
    if (part.number > 1 && c.status[index] === STATUS.skipped) return undefined;
    let fd: number | undefined;
    try {
      fd = this.context.open(index);
      return this.read(job, part, index, fd);
    } catch (error) {
      for (const entry of job.entries) c.status[entry] = STATUS.skipped;
      this.context.skip(index, reasonOf(error, 'cannot be read'));
      return undefined;
    } finally {
      if (fd !== undefined) this.context.deps.fs.close(fd);
    }
  }

  private read(job: ChunkJob, part: Part, index: number, fd: number): PackedSegment {
    const { context } = this;
    const { deps, frames } = context;
    const c = deps.table.columns;
    const path = deps.table.path(index);
    if (part.number === 1) {
      this.md5 = context.newMd5();
      deps.fs.fstat(fd, this.began);
    }
    const isLast = part.number === part.of;
    const xattrs = isLast ? context.keepXattrs(index, deps.fs.xattrs(fd)) : undefined;
    const pax = new Map([
      ['ARCHIVER.part.path', path],
      ['ARCHIVER.part.number', String(part.number)],
      ['ARCHIVER.part.of', String(part.of)],
      ['ARCHIVER.part.offset', String(part.offset)],
      ['ARCHIVER.part.size', String(c.size[index])],
      ...(xattrs ?? []),
    ]);
    const name = `${path}.part-${pad5(part.number)}-of-${pad5(part.of)}`;
    context.header({ ...context.member(index, '0', part.size, pax), path: name });
    const offset = frames.position;
    c.offset[index] = offset;
    const md5 = this.md5 ?? context.newMd5();
    const got = context.copyData(fd, part.offset, part.size, md5);
    frames.zeros(padded(part.size) - got);
    if (isLast) this.finish(job, index, fd, part.offset + got, md5);
    return { index, offset, size: got };
  }

  private finish(job: ChunkJob, index: number, fd: number, size: number, md5: Md5): void {
    const { context, began } = this;
    const c = context.deps.table.columns;
    const planned = c.size[index] ?? 0;
    const sinceScan = (context.deps.fs.fstat(fd, context.stat), context.differs(index));
    const { stat } = context;
    const sinceFirst =
      stat.inode !== began.inode || stat.ctimeSeconds !== began.ctimeSeconds || stat.ctimeNanos !== began.ctimeNanos;
    c.size[index] = size;
    context.settle(index, !sinceScan && !sinceFirst && size === planned);
    context.setMd5(index, md5);
    context.countFiles(job.entries.length);
    for (const other of job.entries) if (other !== index) this.copyContent(index, other);
  }
}

const pad5 = (value: number): string => String(value).padStart(5, '0');
