// Turns a stream of tar bytes into zstd frames in one output buffer. Callers fill the frame buffer in place: `reserve`
// says where, `commit` how much. Nothing is copied on the way from the file to the compressor.
import type { Codec } from '../../platform/codec/codec-type.js';
import type { Md5Chain } from '../../platform/md5/md5-chain.js';
import { chooseLevel } from '../run/compression-level.js';
import { ChunkFrames } from './chunk-frames.js';
import { FrameCompressor } from './frame-compressor.js';
import { type DeskUse, FrameDesk } from './frame-desk.js';

import type { Md5Batch } from './md5-batch.js';

const ROOM = 1 << 16;
/**
 * A frame with this much, and with half of what it may have, ends where another member begins: to read one small file back, all of its frame
 * is fetched. That costs 0.3 % more bytes; 4 MiB would cost 2 % (docs/decisions/108).
 */
const FULL_ENOUGH_BYTES = 8 << 20;

/** Size of the buffer for frames of `frameBytes`. It grows only for a frame without limit. */
export const frameBufferBytes = (frameBytes: number): number => (frameBytes === 0 ? 1 << 22 : frameBytes + ROOM);

export interface FrameWriterOptions {
  readonly codec: Codec;
  /** Most tar bytes in a frame; 0: one frame for the whole chunk. */
  readonly frameBytes: number;
  /** zstd level; undefined to choose it by content (compression-level.ts). */
  readonly level: number | undefined;
  /** Checksums of what lies in the frame, made before the frame is reused. */
  readonly md5s: Md5Batch;
  /** Makes the checksum of a file that goes on in further frames. */
  readonly chain?: Md5Chain | undefined;
  /** Where full frames are laid down for threads that help. */
  readonly desk?: DeskUse | undefined;
}

export interface FrameMark {
  readonly frames: number;
  readonly length: number;
  readonly rawFlushed: number;
  readonly level: number;
  readonly md5s: number;
}

export class FrameWriter {
  /** The frame being filled. */
  buffer: Buffer;
  /** Bytes in it. */
  length = 0;
  chunk = new ChunkFrames(Buffer.alloc(0), 0);
  /** The chunk before, while threads compress frames of it. */
  private earlier: ChunkFrames | undefined;
  private rawFlushed = 0;
  private readonly compressor: FrameCompressor;
  private readonly desk: FrameDesk | undefined;
  /** The room that is being filled; undefined after a time of helping. */
  private held: number | undefined;

  constructor(private readonly options: FrameWriterOptions) {
    this.buffer = options.md5s.allocate(frameBufferBytes(options.frameBytes));
    this.compressor = new FrameCompressor(options.codec);
    this.desk = options.desk && new FrameDesk(options.desk, this.compressor);
    this.held = options.desk?.thread;
  }

  /** Begins a chunk that is written into `output`. That before the last must be complete. */
  begin(output: Buffer): void {
    this.earlier = this.chunk.laid.length === 0 ? undefined : this.chunk;
    if (this.held === undefined && this.desk !== undefined) this.fillNext(this.desk);
    this.chunk = new ChunkFrames(output, this.options.level ?? 0);
    this.length = 0;
    this.rawFlushed = 0;
  }

  /** Position in the chunk's tar stream. */
  get position(): number {
    return this.rawFlushed + this.length;
  }

  /** Bytes that still fit the current frame. */
  get room(): number {
    return this.limit - this.length;
  }

  private get limit(): number {
    return this.options.frameBytes === 0 ? Number.MAX_SAFE_INTEGER : this.options.frameBytes;
  }

  /** Makes sure that a member's `bytes` fit the frame in one piece, by ending the frame if they don't; false if they never can. */
  reserve(bytes: number): boolean {
    if (bytes > this.limit) return false;
    if (bytes > this.room || this.length >= Math.max(FULL_ENOUGH_BYTES, this.limit / 2)) this.flush();
    this.ensure(bytes);
    return true;
  }

  /** Makes the buffer large enough for `bytes` more (a frame without limit grows). */
  ensure(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    this.buffer = this.options.md5s.allocate(Math.max(needed, this.buffer.length * 2), this.buffer);
  }

  /** Counts `bytes` that were put at `length`; ends the frame when it is full. */
  commit(bytes: number): void {
    this.length += bytes;
    if (this.length >= this.limit) this.flush();
  }

  /** Copies bytes in, over as many frames as it takes. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const take = Math.min(bytes.length - at, this.room);
      this.ensure(take);
      this.buffer.set(bytes.subarray(at, at + take), this.length);
      this.commit(take);
      at += take;
    }
  }

  zeros(count: number): void {
    for (let left = count; left > 0;) {
      const take = Math.min(left, this.room, 1 << 20);
      this.ensure(take);
      this.buffer.fill(0, this.length, this.length + take);
      this.commit(take);
      left -= take;
    }
  }

  /** Ends the current frame, if there is one. @throws integrity when the encoder lost data */
  flush(): void {
    if (this.length === 0) return;
    const { chunk } = this;
    const { codec, md5s, chain } = this.options;
    md5s.run();
    const raw = this.buffer.subarray(0, this.length);
    if (chunk.level === 0) chunk.level = chooseLevel(codec, raw);
    this.rawFlushed += this.length;
    this.length = 0;
    if (this.desk?.hasHelpers === true && this.held !== undefined) {
      chain?.settle();
      this.layDown(this.desk, this.held, raw.length);
      return;
    }
    this.complete(chunk);
    chain?.offer(); // to threads that come to hash while this one compresses
    this.compress(chunk, raw);
    chain?.settle();
  }

  private compress(chunk: ChunkFrames, raw: Buffer): void {
    const space = chunk.space(this.options.codec.compressBound(raw.length));
    const stored = this.compressor.compress(space, raw, chunk.level);
    chunk.length += stored.length;
    chunk.records.push({ size: stored.length, rawSize: raw.length, sha256: chunk.frameDigest(stored) });
  }

  /** Returns the current position, for `rewind`. */
  mark(): FrameMark {
    const { length, rawFlushed, chunk } = this;
    return { frames: chunk.count, length, rawFlushed, level: chunk.level, md5s: this.options.md5s.mark() };
  }

  /** Forgets what was written since `mark`. A frame that ended in between is decompressed again: rare, and no copy is kept. */
  rewind(mark: FrameMark): void {
    const { chunk } = this;
    this.complete(chunk);
    this.options.md5s.rewind(mark.md5s);
    const ended = chunk.dropFrom(mark.frames);
    if (ended !== undefined) {
      const { rawSize } = ended.record;
      this.length = 0;
      this.ensure(rawSize);
      this.options.codec.decompressFrame(this.buffer.subarray(0, rawSize), ended.stored);
    }
    this.length = mark.length;
    this.rawFlushed = mark.rawFlushed;
    chunk.level = mark.level;
  }

  /** Compresses what other threads lay down for a while; true when that is to go on. Not within a chunk. */
  help(): boolean {
    const { desk, held } = this;
    if (desk?.isCalled !== true) return false;
    if (held !== undefined) desk.free(held);
    this.held = undefined;
    desk.help();
    return desk.isCalled;
  }

  /** Lays down the frame in `room`, and fills another. */
  private layDown(desk: FrameDesk, room: number, length: number): void {
    desk.offer(room, length, this.chunk.level);
    this.chunk.laid.push(room);
    this.fillNext(desk);
  }

  /** Takes a room to fill; compresses frames here as long as there is none. */
  private fillNext(desk: FrameDesk): void {
    for (;;) {
      const { turn } = desk;
      const chunks = this.earlier === undefined ? [this.chunk] : [this.earlier, this.chunk];
      for (const chunk of chunks) this.collect(desk, chunk);
      const room = desk.takeFree();
      if (room !== undefined) {
        this.held = room;
        this.buffer = desk.buffer(room);
        this.options.md5s.use(this.buffer);
        return;
      }
      if (!chunks.some((chunk) => this.compressLaid(desk, chunk))) desk.wait(turn);
    }
  }

  /** Waits for all frames of a chunk that were laid down, or compresses them. @throws as compressing a frame does */
  complete(chunk: ChunkFrames): void {
    const { desk } = this;
    while (desk !== undefined && chunk.laid.length > 0) {
      const { turn } = desk;
      this.collect(desk, chunk);
      if (chunk.laid.length > 0 && !this.compressLaid(desk, chunk)) desk.wait(turn);
    }
  }

  /** Takes what is done of the first frames that were laid down into the output. */
  private collect(desk: FrameDesk, chunk: ChunkFrames): void {
    for (;;) {
      const [room] = chunk.laid;
      const result = room === undefined ? undefined : desk.result(room);
      if (room === undefined || result === undefined) return;
      if ('raw' in result) this.compress(chunk, result.raw);
      else {
        const { stored, rawSize, sha256 } = result;
        chunk.append(stored);
        chunk.records.push({ size: stored.length, rawSize, sha256 });
      }
      chunk.laid.shift();
      desk.free(room);
    }
  }

  /** Compresses the first frame that nobody has begun; false if there is none. */
  private compressLaid(desk: FrameDesk, { laid }: ChunkFrames): boolean {
    const room = laid.find((candidate) => desk.takeBack(candidate));
    if (room !== undefined) desk.compress(room);
    return room !== undefined;
  }

  /** Gives up what was laid down for the chunk, which has failed. @throws cancelled as `FrameDesk.wait` */
  withdraw(): void {
    const { desk } = this;
    const { laid } = this.chunk;
    for (let [room] = laid; desk !== undefined && room !== undefined;) {
      const { turn } = desk;
      if (desk.takeBack(room) || desk.result(room) !== undefined) {
        desk.free(room);
        laid.shift();
        [room] = laid;
      } else desk.wait(turn);
    }
  }
}
