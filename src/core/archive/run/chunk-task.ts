// The unit that is planned, packed and sent: a chunk, and the files that go with it as objects of their own.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { FilePiece } from '../../format/chunk/cut-file.js';

/** A file that is to become an object. */
export interface DirectFile {
  /** Position in the table. */
  readonly index: number;
  readonly chunk: number;
  /** Key below the folder of the upload. */
  readonly key: string;
}

/** One chunk to pack. `entries` are positions in the table, ascending; `part` is set for a piece of a cut file. */
export interface ChunkTask {
  readonly chunk: number;
  readonly shard: number;
  readonly storageClass: string;
  readonly entries: Uint32Array;
  /** Planned bytes of the tar stream. */
  readonly rawBytes: number;
  /** Planned source bytes. */
  readonly bytes: number;
  /** `of` is 0 in pieces of a stream that came before its end. */
  readonly part?: FilePiece & {
    /** Set where others pack the rest of the file (a share): row of its first piece here. */
    readonly firstRow?: number;
  };
  /** Content that is in memory, `size` bytes of `data`: all of a file that came as a stream, or a piece. With the last comes when it ended. */
  readonly stream?: { readonly data: SharedArrayBuffer; readonly size: number; readonly endedMs?: number };
  /** Record of the piece if an interrupted run has sent it: it is not sent again when it comes out the same. */
  readonly sent?: ChunkRecord;
  /** Files among the entries that become objects of their own. */
  readonly direct?: readonly DirectFile[];
}

/** Chunks that one worker must pack in order: one chunk, or all pieces of a cut file (its MD5 runs through them) but of a share. */
export type Lane = readonly ChunkTask[];
