// What an unpack worker does with each message. Free of threads, so that it can be tested alone.
import { hash } from 'node:crypto';
import { errorText, integrityError, isArchiverError } from '../errors.js';
import type { Codec } from '../codec/codec.js';
import { ChunkChecker } from '../verify/chunk-checker.js';
import { ChunkUnpacker } from './chunk-unpacker.js';
import type { BatchHash } from './batch-hash.js';
import type { ContentSink } from './content-sink.js';
import type { Extents } from './extents.js';
import type { SelectedTable } from './selected-table.js';
import type { ChunkFailure, ChunkMessage, EntryFailure, SpanMessage, ToWorker, Trouble } from './unpack-protocol.js';

/** Larger frames are decoded piece by piece, so that a chunk without framing needs no buffer of its size. */
const MAX_WHOLE_FRAME = 32 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;
const DIGEST_BYTES = 32;

export interface UnpackJobOptions {
  readonly codec: Codec;
  readonly table: SelectedTable;
  readonly extents: Extents;
  readonly sink: ContentSink;
  readonly checkChunks: boolean;
  /** Hashes whole files by the frame; without it the sink hashes each. */
  readonly batch?: BatchHash | undefined;
  /** Called after each frame. */
  readonly onFrame: () => void;
  readonly isStopped: () => boolean;
}

export class UnpackJob {
  readonly unpacker: ChunkUnpacker;
  private chunk: ChunkMessage | undefined;
  private rawStarts = new Float64Array(0);
  private checker: ChunkChecker | undefined;
  private decoded = new Uint8Array(0);
  private chunkFailures: ChunkFailure[] = [];
  private moreFailures: EntryFailure[] = [];

  constructor(private readonly options: UnpackJobOptions) {
    this.unpacker = new ChunkUnpacker(options.table, options.extents, options.sink, options.batch);
  }

  handle(message: Exclude<ToWorker, { type: 'close' | 'begin' }>): void {
    switch (message.type) {
      case 'chunk':
        this.beginChunk(message);
        return;
      case 'span':
        this.span(message);
        return;
      case 'tail':
        this.checker?.stored(new Uint8Array(message.buffer, 0, message.length));
        return;
      case 'lost':
        this.lost(message.first, message.last, message.reason);
        return;
      case 'empty':
        this.unpacker.empty(message.entries, message.extras);
        return;
      case 'chunkEnd':
        this.endChunk();
        return;
      case 'settle':
        this.unpacker.settle();
        return;
      case 'laneEnd':
        this.unpacker.endLane('a part of it is missing');
        return;
      default:
        message satisfies never;
    }
  }

  private beginChunk(message: ChunkMessage): void {
    this.chunk = message;
    this.rawStarts = new Float64Array(message.frameRawSizes.length + 1);
    message.frameRawSizes.forEach((size, index) => {
      this.rawStarts[index + 1] = (this.rawStarts[index] ?? 0) + size;
    });
    const { table, extents, checkChunks } = this.options;
    this.checker = checkChunks ? new ChunkChecker(message, table, extents) : undefined;
    this.unpacker.beginChunk(message.from, message.to, message.extras);
  }

  private endChunk(): void {
    const chunk = this.chunk?.chunk ?? 0;
    const { problems = [], failures = [] } = this.checker?.finish() ?? {};
    for (const reason of problems) this.chunkFailures.push({ chunk, frame: undefined, reason });
    this.moreFailures.push(...failures);
    this.checker = undefined;
  }

  private lost(first: number, last: number, reason: string): void {
    this.checker?.lose();
    this.unpacker.lose(this.rawStarts[first] ?? 0, this.rawStarts[last + 1] ?? 0, reason);
  }

  private span({ first, last, buffer }: SpanMessage): void {
    let at = 0;
    for (let frame = first; frame <= last && !this.options.isStopped(); frame++) {
      const size = this.chunk?.frameSizes[frame] ?? 0;
      const stored = new Uint8Array(buffer, at, size);
      at += size;
      this.checker?.stored(stored);
      this.frame(frame, stored);
      this.options.onFrame();
    }
  }

  private frame(frame: number, stored: Uint8Array): void {
    const chunk = this.chunk;
    if (chunk === undefined) return;
    const expected = chunk.digests.subarray(frame * DIGEST_BYTES, (frame + 1) * DIGEST_BYTES);
    if (!hash('sha256', stored, 'buffer').equals(expected)) {
      this.damaged(frame, 'its bytes do not match their SHA-256 in the manifest');
      return;
    }
    const rawSize = chunk.frameRawSizes[frame] ?? 0;
    const start = this.rawStarts[frame] ?? 0;
    try {
      if (chunk.isFile) this.give(start, this.asItIs(stored, rawSize), rawSize <= MAX_WHOLE_FRAME);
      else if (rawSize <= MAX_WHOLE_FRAME) this.give(start, this.decode(stored, rawSize), true);
      else this.decodePieces(stored, rawSize, start);
    } catch (error) {
      if (!isArchiverError(error, 'integrity')) throw error;
      this.damaged(frame, errorText(error));
    }
  }

  private give(start: number, bytes: Uint8Array, isInBatch: boolean): void {
    this.checker?.decoded(bytes);
    this.unpacker.consume(start, bytes, isInBatch);
  }

  private decode(stored: Uint8Array, rawSize: number): Uint8Array {
    const target = this.options.batch?.allocate(rawSize) ?? this.room(rawSize).subarray(0, rawSize);
    this.options.codec.decompressFrame(target, stored);
    return target;
  }

  /** Bytes that are not compressed, where the batch can hash them. */
  private asItIs(stored: Uint8Array, rawSize: number): Uint8Array {
    if (stored.byteLength !== rawSize) throw integrityError(`it has ${stored.byteLength} bytes instead of ${rawSize}`);
    const target = rawSize <= MAX_WHOLE_FRAME ? this.options.batch?.allocate(rawSize) : undefined;
    target?.set(stored);
    return target ?? stored;
  }

  private room(bytes: number): Uint8Array {
    if (this.decoded.byteLength < bytes) this.decoded = Buffer.allocUnsafeSlow(bytes);
    return this.decoded;
  }

  private decodePieces(stored: Uint8Array, rawSize: number, start: number): void {
    const room = this.room(PIECE_BYTES);
    let at = start;
    this.options.codec.decompressPieces(stored, rawSize, room.subarray(0, PIECE_BYTES), (piece) => {
      this.give(at, piece, false);
      at += piece.byteLength;
    });
  }

  private damaged(frame: number, reason: string): void {
    const { chunk = 0, key = '' } = this.chunk ?? {};
    this.chunkFailures.push({ chunk, frame, reason });
    this.lost(frame, frame, `frame ${frame} of ${key} is damaged: ${reason}`);
  }

  takeTrouble(): Trouble {
    const failures = [...this.unpacker.takeFailures(), ...this.moreFailures];
    const { chunkFailures } = this;
    this.moreFailures = [];
    this.chunkFailures = [];
    return { failures, chunkFailures, warnings: this.options.sink.takeWarnings() };
  }
}
