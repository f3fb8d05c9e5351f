// The work of an unpack worker on each message. Independent of threads, so that it can be tested alone. Bytes that do not match their
// digest are requested once more before files fail: their message waits (`wanted`) until `again` has delivered them, or cannot.
import { hash } from 'node:crypto';
import { errorText, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { Codec } from '../../platform/codec/codec-type.js';
import { ChunkChecker } from './chunk-checker.js';
import { ChunkUnpacker } from './chunk-unpacker.js';
import type { BatchHash } from './batch-hash.js';
import type { ContentSink } from '../write/content-sink.js';
import type { Extents } from '../plan/extents.js';
import type { SelectedTable } from '../plan/selected-table.js';
import type {
  RereadMessage,
  ChunkFailure,
  ChunkMessage,
  EntryFailure,
  SpanMessage,
  ToWorker,
  Trouble,
  WrongBytes,
} from './unpack-protocol.js';

/** Larger frames are decoded piece by piece, so that a chunk without framing needs no buffer of its size. */
const MAX_WHOLE_FRAME = 32 * 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;
/** Decoding a frame in part is slower for each byte. */
const LEAST_LEFT_OUT = 1024 * 1024;
const DIGEST_BYTES = 32;

export interface UnpackTaskOptions {
  readonly codec: Codec;
  readonly table: SelectedTable;
  readonly extents: Extents;
  readonly sink: ContentSink;
  readonly checkChunks: boolean;
  /** The MD5 of each file vouches for what is decoded, so that frames may be decoded as far as anything is wanted of them. */
  readonly areFilesHashed: boolean;
  /** Hashes whole files by the frame; without it the sink hashes each. */
  readonly batch?: BatchHash | undefined;
  /** Called after each frame. */
  readonly onFrame: () => void;
  readonly isStopped: () => boolean;
}

type Message = Exclude<ToWorker, { type: 'close' | 'begin' | 'again' }>;

/** A span that stopped at a wrong frame. */
interface Stopped {
  readonly span: SpanMessage;
  readonly first: number;
  readonly last: number;
}

export class UnpackTask {
  readonly unpacker: ChunkUnpacker;
  private chunk: ChunkMessage | undefined;
  private rawStarts = new Float64Array(0);
  private checker: ChunkChecker | undefined;
  private decoded = new Uint8Array(0);
  private chunkFailures: ChunkFailure[] = [];
  private moreFailures: EntryFailure[] = [];
  private mended: WrongBytes[] = [];
  private stopped: Stopped | undefined;
  private wantsTail = false;

  constructor(private readonly options: UnpackTaskOptions) {
    this.unpacker = new ChunkUnpacker(options.table, options.extents, options.sink, options.batch);
  }

  handle(message: Message): void {
    switch (message.type) {
      case 'chunk':
        this.beginChunk(message);
        return;
      case 'span':
        this.span(message);
        this.tailOf(message);
        return;
      case 'tail':
        this.tail(new Uint8Array(message.buffer, 0, message.length));
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

  /** The bytes to read again before the message that was handled last is done. */
  get wanted(): WrongBytes | undefined {
    const chunk = this.chunk?.chunk ?? 0;
    if (this.wantsTail) return { chunk, frames: undefined };
    return this.stopped === undefined ? undefined : { chunk, frames: plain(this.stopped) };
  }

  /** Continues with bytes that were read a second time. */
  again({ buffer, length }: RereadMessage): void {
    const { wanted, stopped } = this;
    const bytes = buffer === undefined ? undefined : new Uint8Array(buffer, 0, length);
    this.stopped = undefined;
    this.wantsTail = false;
    if (wanted === undefined) return;
    const isRight = stopped === undefined ? this.secondTail(bytes) : this.span(stopped.span, stopped, bytes);
    if (isRight) this.mended.push(wanted);
    if (stopped !== undefined) this.tailOf(stopped.span);
  }

  /** Takes what follows the last frame, where it has come with the frames, once those are done. */
  private tailOf({ buffer, length, tailAt }: SpanMessage): void {
    if (tailAt === undefined || this.stopped !== undefined || this.options.isStopped()) return;
    this.tail(new Uint8Array(buffer, tailAt, length - tailAt));
  }

  private tail(bytes: Uint8Array): void {
    this.wantsTail = this.checker?.tail(bytes) === false;
  }

  private secondTail(bytes: Uint8Array | undefined): boolean {
    return bytes !== undefined && this.checker?.tail(bytes) === true;
  }

  /** Handles a span, or continues it at `second`, whose frames were read again. True when all of those are right. */
  private span(span: SpanMessage, second?: Stopped, again?: Uint8Array): boolean {
    const from = second?.first ?? span.first;
    let at = this.storedBetween(span.first, from);
    let isRight = again !== undefined;
    for (let frame = from; frame <= span.last && !this.options.isStopped(); frame++) {
      const size = this.chunk?.frameSizes[frame] ?? 0;
      let stored: Uint8Array = new Uint8Array(span.buffer, at, size);
      at += size;
      let matches = this.matches(frame, stored);
      if (!matches && second === undefined) {
        this.stopped = { span, first: frame, last: this.lastWrong(span, frame, at) };
        return false;
      }
      if (!matches && second !== undefined && again !== undefined && frame <= second.last) {
        const offset = this.storedBetween(from, frame);
        stored = again.subarray(offset, offset + size);
        matches = this.matches(frame, stored);
      }
      this.checker?.stored(frame, stored);
      if (matches) this.frame(frame, stored);
      else {
        isRight = false;
        this.damaged(frame, 'its bytes do not match their SHA-256 in the manifest');
      }
      this.options.onFrame();
    }
    return isRight;
  }

  private storedBetween(first: number, end: number): number {
    let sum = 0;
    for (let frame = first; frame < end; frame++) sum += this.chunk?.frameSizes[frame] ?? 0;
    return sum;
  }

  /** Returns the last wrong frame of a span, at or after `first`, which ends at `end` of the buffer. */
  private lastWrong({ buffer, last }: SpanMessage, first: number, end: number): number {
    let wrong = first;
    let at = end;
    for (let frame = first + 1; frame <= last; frame++) {
      const size = this.chunk?.frameSizes[frame] ?? 0;
      if (!this.matches(frame, new Uint8Array(buffer, at, size))) wrong = frame;
      at += size;
    }
    return wrong;
  }

  private matches(frame: number, stored: Uint8Array): boolean {
    const expected = this.chunk?.digests.subarray(frame * DIGEST_BYTES, (frame + 1) * DIGEST_BYTES);
    const actual = (frame === 0 ? this.checker?.firstStored(stored) : undefined) ?? hash('sha256', stored, 'buffer');
    return expected !== undefined && actual.equals(expected);
  }

  /** Decodes and unpacks a frame whose bytes are right. */
  private frame(frame: number, stored: Uint8Array): void {
    const chunk = this.chunk;
    if (chunk === undefined) return;
    const rawSize = chunk.frameRawSizes[frame] ?? 0;
    const start = this.rawStarts[frame] ?? 0;
    try {
      if (chunk.isFile) this.give(start, this.asItIs(stored, rawSize), rawSize <= MAX_WHOLE_FRAME);
      else if (rawSize <= MAX_WHOLE_FRAME) this.give(start, this.decode(stored, start, rawSize), true);
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

  private decode(stored: Uint8Array, start: number, rawSize: number): Uint8Array {
    const { batch, codec } = this.options;
    const wanted = this.wantedOf(start, rawSize);
    const target = batch?.allocate(wanted) ?? this.room(wanted).subarray(0, wanted);
    if (wanted < rawSize) codec.decompressStart?.(target, stored, rawSize);
    else codec.decompressFrame(target, stored);
    return target;
  }

  /** Returns how many bytes of a frame have to be decoded. */
  private wantedOf(start: number, rawSize: number): number {
    const { areFilesHashed, codec } = this.options;
    if (!areFilesHashed || this.checker !== undefined || codec.decompressStart === undefined) return rawSize;
    const wanted = this.unpacker.wantedUntil(start, start + rawSize) - start;
    return rawSize - wanted < LEAST_LEFT_OUT ? rawSize : wanted;
  }

  /** Returns bytes that are not compressed, in the memory of the batch if it can hash them. */
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
    const { chunkFailures, mended } = this;
    this.moreFailures = [];
    this.chunkFailures = [];
    this.mended = [];
    return { failures, chunkFailures, mended, warnings: this.options.sink.takeWarnings() };
  }
}

const plain = ({ first, last }: NonNullable<WrongBytes['frames']>): WrongBytes['frames'] => ({ first, last });
