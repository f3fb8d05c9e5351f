// Turns a stream of tar bytes into zstd frames in one output buffer. Callers fill the frame buffer in place: `reserve`
// says where, `commit` how much. Nothing is copied on the way from the file to the compressor.
import { hash } from 'node:crypto';
import type { Codec } from '../../platform/codec/codec-type.js';
import { integrityError } from '../../platform/failures/errors.js';
import type { Md5Chain } from '../../platform/md5/md5-chain.js';
import type { FrameRecord } from '../../format/manifest/manifest-types.js';
import { chooseLevel } from '../run/compression-level.js';
import type { Md5Batch } from './md5-batch.js';

const ROOM = 1 << 16;
/** From here on every frame is decompressed and compared before it counts: encoders had bugs at high levels (restic #4523). */
const DISTRUSTED_LEVEL = 10;

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
}

export interface FrameMark {
  readonly frames: number;
  readonly length: number;
  readonly outputLength: number;
  readonly rawFlushed: number;
  readonly level: number;
  readonly md5s: number;
}

export class FrameWriter {
  /** The frame being filled. */
  buffer: Buffer;
  /** Bytes in it. */
  length = 0;
  /** Buffer for the compressed bytes of the current chunk. */
  output: Buffer = Buffer.alloc(0);
  outputLength = 0;
  frames: FrameRecord[] = [];
  level = 0;
  private rawFlushed = 0;
  private check: Buffer | undefined;

  constructor(private readonly options: FrameWriterOptions) {
    this.buffer = options.md5s.allocate(frameBufferBytes(options.frameBytes));
  }

  /** Begins a chunk that is written into `output` (replaced by a larger one if need be). */
  begin(output: Buffer): void {
    this.output = output;
    this.outputLength = 0;
    this.frames = [];
    this.length = 0;
    this.level = this.options.level ?? 0;
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

  /** Makes sure that `bytes` fit the frame in one piece, by ending the frame if they don't; false if they never can. */
  reserve(bytes: number): boolean {
    if (bytes > this.limit) return false;
    if (bytes > this.room) this.flush();
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
    const { codec, md5s, chain } = this.options;
    md5s.run();
    chain?.offer(); // to threads that come to hash while this one compresses
    const raw = this.buffer.subarray(0, this.length);
    if (this.level === 0) this.level = chooseLevel(codec, raw);
    const bound = codec.compressBound(raw.length);
    const space = this.outputSpace(bound);
    const size = codec.compressFrame(space, raw, this.level);
    const stored = space.subarray(0, size);
    if (this.level >= DISTRUSTED_LEVEL) this.compare(stored, raw);
    chain?.settle();
    this.frames.push({ size, rawSize: raw.length, sha256: hash('sha256', stored) });
    this.outputLength += size;
    this.rawFlushed += this.length;
    this.length = 0;
  }

  /** Returns the current position, for `rewind`. */
  mark(): FrameMark {
    const { length, outputLength, rawFlushed, level } = this;
    return { frames: this.frames.length, length, outputLength, rawFlushed, level, md5s: this.options.md5s.mark() };
  }

  /** Forgets what was written since `mark`. A frame that ended in between is decompressed again: rare, and no copy is kept. */
  rewind(mark: FrameMark): void {
    this.options.md5s.rewind(mark.md5s);
    const ended = this.frames[mark.frames];
    if (ended !== undefined) {
      const stored = this.output.subarray(mark.outputLength, mark.outputLength + ended.size);
      this.length = 0;
      this.ensure(ended.rawSize);
      this.options.codec.decompressFrame(this.buffer.subarray(0, ended.rawSize), stored);
    }
    this.frames.length = mark.frames;
    this.length = mark.length;
    this.outputLength = mark.outputLength;
    this.rawFlushed = mark.rawFlushed;
    this.level = mark.level;
  }

  /** Appends bytes to the output as they are. */
  append(bytes: Uint8Array): void {
    this.ensureOutput(bytes.length);
    this.output.set(bytes, this.outputLength);
    this.outputLength += bytes.length;
  }

  /** The next `bytes` of the output, to be filled and counted in `outputLength`. */
  outputSpace(bytes: number): Buffer {
    this.ensureOutput(bytes);
    return this.output.subarray(this.outputLength, this.outputLength + bytes);
  }

  private ensureOutput(bytes: number): void {
    const needed = this.outputLength + bytes;
    if (needed <= this.output.length) return;
    const larger = Buffer.from(new SharedArrayBuffer(Math.max(needed, Math.ceil(this.output.length * 1.5))));
    this.output.copy(larger, 0, 0, this.outputLength);
    this.output = larger;
  }

  private compare(stored: Uint8Array, raw: Buffer): void {
    if (this.check === undefined || this.check.length < raw.length) this.check = Buffer.allocUnsafeSlow(raw.length);
    const back = this.check.subarray(0, raw.length);
    if (this.options.codec.decompressFrame(back, stored) !== raw.length || back.compare(raw) !== 0) {
      throw integrityError(`the zstd encoder lost data at level ${this.level}`, {
        hint: 'nothing was committed; choose --compression-level 9 or lower',
      });
    }
  }
}
