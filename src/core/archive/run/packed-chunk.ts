// The result of packing a chunk.
import type { EntryExtra } from '../../format/manifest/entry-line.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { Skip } from '../scan/skip.js';

export interface PackedSegment {
  readonly index: number;
  /** Offset in the chunk's tar stream. */
  readonly offset: number;
  readonly size: number;
}

/** A file that becomes an object of its own. */
export interface PackedObject {
  readonly record: ChunkRecord;
  /** Offset of its bytes in the memory of the chunk's output. */
  readonly start: number;
}

export interface PackedChunk extends Pick<
  ChunkRecord,
  'chunk' | 'size' | 'rawSize' | 'tocSize' | 'sha256' | 'level' | 'frames' | 'entries'
> {
  /** The chunk's bytes, `size` of them stored, in memory that has those of `objects` before them. */
  readonly output: Buffer;
  /** Source bytes read. */
  readonly bytes: number;
  readonly extras: ReadonlyMap<number, EntryExtra>;
  readonly segment: PackedSegment | undefined;
  readonly skipped: readonly Skip[];
  /** Files of the chunk that are objects of their own. */
  readonly objects: readonly PackedObject[];
}
