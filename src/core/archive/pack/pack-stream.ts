// Packs one piece of a file that comes as a stream. One worker packs all pieces in order, so that the checksums run through them; size and
// time of the file are known with its last piece. A file of one piece is packed like any other.
import type { ChunkTask } from '../run/chunk-task.js';
import type { PackedSegment } from '../run/packed-chunk.js';
import { padded } from '../../format/tar/tar-block.js';
import type { ContentDigests } from './content-digests.js';
import { partMember } from './part-member.js';
import type { PackState } from './pack-state.js';

type Stream = NonNullable<ChunkTask['stream']>;

export class StreamPacker {
  private digests: ContentDigests | undefined;

  constructor(private readonly state: PackState) {}

  /** Packs one piece; returns where it lies, or undefined for a file of one piece, whose row says it. */
  pack(task: ChunkTask, { data, size, endedMs }: Stream): PackedSegment | undefined {
    const { state } = this;
    const { table } = state.deps;
    const c = table.columns;
    const [index = 0] = task.entries;
    const { part } = task;
    c.chunk[index] = task.chunk;
    c.size[index] = (part?.offset ?? 0) + size;
    if (endedMs !== undefined) this.dateAt(index, endedMs);
    const digests = part === undefined || part.number === 1 ? state.newDigests() : (this.digests ?? state.newDigests());
    this.digests = digests;
    const member = state.member(index, '0', size);
    state.header(
      part === undefined ? member : partMember(member, part, endedMs === undefined ? undefined : c.size[index]),
    );
    const offset = state.frames.position;
    c.offset[index] = offset;
    state.copyBytes(Buffer.from(data, 0, size), digests);
    state.frames.zeros(padded(size) - size);
    if (endedMs !== undefined) {
      digests.writeTo(table, index);
      state.settle(index, true);
      state.countFiles(1);
    }
    return part === undefined ? undefined : { index, offset, size };
  }

  private dateAt(index: number, ms: number): void {
    const { columns: c } = this.state.deps.table;
    const [seconds, nanos] = [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
    c.mtimeSeconds[index] = c.ctimeSeconds[index] = seconds;
    c.mtimeNanos[index] = c.ctimeNanos[index] = nanos;
  }
}
