// Splits a zstd stream into its frames (RFC 8878), passing on the exact bytes of each as they arrive. Some decoders stop after the first
// frame without an error (zstd of Node 22 and 24) or need whole frames (WebAssembly), so they get one at a time; skippable frames are left
// out.
import { integrityError } from '../failures/errors.js';
import { type FrameHeader, MAX_BLOCK, MAX_WINDOW, readFrameHeader } from './zstd-frame.js';

export interface CutFrame {
  readonly header: FrameHeader;
  /** The bytes of the frame. They must be read to the end before the next frame is requested. */
  readonly pieces: () => AsyncGenerator<Uint8Array>;
  /** Returns the most bytes that it can decode to, according to the blocks received so far. */
  readonly mostBytes: () => number;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** Bytes of magic and descriptor; the rest of a header is at most 13 bytes. */
const DESCRIBED = 5;

/** Yields the frames of `source`. @throws integrity when it is not zstd, cut off, or requires too large a window; errors of the source */
export async function* cutFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<CutFrame> {
  const stream = new ByteStream(source);
  try {
    while (await stream.hasMore()) {
      const magic = await stream.exactly(4);
      const number = magic.readUInt32LE();
      if ((number & ~0xf) >>> 0 === SKIPPABLE) {
        for await (const _ of stream.pass((await stream.exactly(4)).readUInt32LE()));
      } else if (number === MAGIC) yield await oneFrame(stream, magic);
      else throw undecodable('bytes that are no zstd frame');
    }
  } finally {
    await stream.close();
  }
}

/** Returns the error for a frame whose window takes too much memory. */
export const windowError = (cause?: unknown): Error =>
  integrityError(
    `its zstd data cannot be decoded: it was made with a window of more than ${MAX_WINDOW / 2 ** 20} MiB (zstd --long): repack it without`,
    { cause },
  );

const undecodable = (what: string): Error => integrityError(`its zstd data cannot be decoded: ${what}`);

async function oneFrame(stream: ByteStream, magic: Buffer): Promise<CutFrame> {
  const described = Buffer.concat([magic, await stream.exactly(DESCRIBED - magic.byteLength)]);
  const start = Buffer.concat([described, await stream.exactly(headerRest(described[4] ?? 0))]);
  const header = readFrameHeader(start);
  if (header.windowSize > MAX_WINDOW) throw windowError();
  let most = 0;
  return {
    header,
    mostBytes: () => most,
    async *pieces() {
      yield start;
      for (let isLast = false; !isLast;) {
        const block = await stream.exactly(3);
        yield block;
        const number = block.readUIntLE(0, 3);
        isLast = (number & 1) === 1;
        const type = (number >> 1) & 3;
        const size = number >> 3;
        if (type === 3 || size > MAX_BLOCK) throw undecodable('a block header is wrong');
        most += type === 2 ? MAX_BLOCK : size;
        yield* stream.pass(type === 1 ? 1 : size);
      }
      if (header.hasChecksum) yield await stream.exactly(4);
    },
  };
}

/** Returns the size of a header after its descriptor. */
function headerRest(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0) + sizeBytes;
}

/** Reads portions of any size from bytes that arrive in pieces. */
class ByteStream {
  private readonly pieces: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  async hasMore(): Promise<boolean> {
    while (this.rest.byteLength === 0) {
      const { done, value } = await this.pieces.next();
      if (done === true) return false;
      this.rest = value;
    }
    return true;
  }

  /** Returns up to `size` bytes, at least one. @throws integrity at the end */
  private async some(size: number): Promise<Uint8Array> {
    if (!(await this.hasMore())) throw integrityError('its zstd data is cut off');
    const taken = this.rest.subarray(0, size);
    this.rest = this.rest.subarray(taken.byteLength);
    return taken;
  }

  /** Returns exactly `size` bytes. @throws integrity when fewer arrive */
  async exactly(size: number): Promise<Buffer> {
    const taken = Buffer.alloc(size);
    for (let at = 0; at < size;) {
      const piece = await this.some(size - at);
      taken.set(piece, at);
      at += piece.byteLength;
    }
    return taken;
  }

  /** Passes on `size` bytes as they arrive. @throws integrity when there are fewer */
  async *pass(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0;) {
      const piece = await this.some(left);
      left -= piece.byteLength;
      yield piece;
    }
  }

  async close(): Promise<void> {
    await this.pieces.return?.();
  }
}
