// The messages between the main thread and an unpack worker. Stored bytes are passed in shared buffers; the outcome of a file is recorded
// in shared memory, and only problems are messages.
import type { ExtentData } from '../plan/extents.js';
import type { WriteSettings } from '../output-tree/write-settings.js';
import type { Extra, TableData } from '../plan/selected-table.js';

export interface UnpackData {
  /** How files are written; undefined if they are only checked (verify). */
  readonly write: WriteSettings | undefined;
  /** Compare each file's MD5. */
  readonly verifyFiles: boolean;
  /** Read the tar headers and hash the chunks as well (verify). */
  readonly checkChunks: boolean;
  readonly table: TableData;
  readonly extents: ExtentData;
  /** One Int32, which is not 0 when everything should stop. */
  readonly stop: SharedArrayBuffer;
  readonly worker: number;
}

/** Begins a chunk; its frames follow in order. */
export interface ChunkMessage {
  readonly type: 'chunk';
  readonly chunk: number;
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly frameSizes: Float64Array;
  readonly frameRawSizes: Float64Array;
  /** SHA-256 of each frame, 32 bytes each. */
  readonly digests: Uint8Array;
  /** True if the object is an unchanged file: nothing is compressed, and there is no tar stream. */
  readonly isFile: boolean;
  /** SHA-256 of the object in hex, for checking whole chunks. */
  readonly sha256: string;
  /** Extras of the entries of this chunk. */
  readonly extras: ReadonlyMap<number, Extra>;
}

/** Parts of a chunk that arrived with wrong bytes: these frames, or (undefined) what follows the last frame. */
export interface WrongBytes {
  readonly chunk: number;
  readonly frames: { readonly first: number; readonly last: number } | undefined;
}

/** The second reading of what was requested with `again`; without a buffer if it could not be read. */
export interface RereadMessage {
  readonly type: 'again';
  readonly buffer: SharedArrayBuffer | undefined;
  readonly length: number;
}

/** Frames `first` to `last`, stored one after another from the start of the buffer. */
export interface SpanMessage {
  readonly type: 'span';
  readonly first: number;
  readonly last: number;
  readonly buffer: SharedArrayBuffer;
  readonly length: number;
  /** Where the buffer goes on with the bytes after the last frame of the chunk, if it does. */
  readonly tailAt?: number | undefined;
}

export type ToWorker =
  /** Always first. */
  | { readonly type: 'begin'; readonly data: UnpackData }
  | ChunkMessage
  | SpanMessage
  /** The bytes after the last frame: the table of contents (only when chunks are checked). */
  | { readonly type: 'tail'; readonly buffer: SharedArrayBuffer; readonly length: number }
  /** Comes out of turn and is not answered: the message that waits for it is continued. */
  | RereadMessage
  /** These frames will not come. */
  | { readonly type: 'lost'; readonly first: number; readonly last: number; readonly reason: string }
  /** Entries without stored bytes. */
  | { readonly type: 'empty'; readonly entries: Uint32Array; readonly extras: ReadonlyMap<number, Extra> }
  /** A chunk is over, and perhaps its lane. */
  | { readonly type: 'chunkEnd' }
  | { readonly type: 'laneEnd' }
  /** No lane follows: files that are complete but not compared yet are put in place. */
  | { readonly type: 'settle' }
  | { readonly type: 'close' };

export interface EntryFailure {
  readonly index: number;
  readonly reason: string;
}

/** Damage to a chunk as such. */
export interface ChunkFailure {
  readonly chunk: number;
  readonly frame: number | undefined;
  readonly reason: string;
}

export interface Trouble {
  readonly failures: readonly EntryFailure[];
  readonly chunkFailures: readonly ChunkFailure[];
  /** Bytes that were wrong at first and right when read again. */
  readonly mended: readonly WrongBytes[];
  readonly warnings: readonly string[];
}

export type FromWorker =
  /** Files finished and bytes handled since the last time. */
  | { readonly type: 'progress'; readonly files: number; readonly bytes: number; readonly last: number }
  /** One message is done. Its buffer is returned to be reused. */
  | ({ readonly type: 'done'; readonly buffer: SharedArrayBuffer | undefined } & Trouble)
  /** Bytes do not match their digest: they are to be fetched once more, and the worker waits until they come. */
  | { readonly type: 'again'; readonly wrong: WrongBytes }
  /** The buffer of an `again` is free. */
  | { readonly type: 'returned'; readonly buffer: SharedArrayBuffer }
  /** Nothing can be written any more. */
  | { readonly type: 'fatal'; readonly code: 'no-space' | 'io'; readonly message: string }
  | { readonly type: 'closed' };
