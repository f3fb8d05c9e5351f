// Cuts a zstd stream into its frames (RFC 8878), each given as its exact bytes while they come. Decoders that stop after the
// first frame without an error (zstd of Node 22 and 24) or want a frame whole (WebAssembly) read one at a time; skippable
// frames are left out.
import { integrityError } from '../failures/errors.js';
import { type FrameHeader, MAX_BLOCK, MAX_WINDOW, readFrameHeader } from './zstd-frame.js';

export interface CutFrame {
  readonly header: FrameHeader;
  /** Its bytes. To be read to the end before the next frame is asked for. */
  readonly pieces: () => AsyncGenerator<Uint8Array>;
  /** The most bytes that it can decode to, by the blocks that have come. */
  readonly mostBytes: () => number;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** Magic and descriptor; what follows in the header is at most 13 bytes. */
const DESCRIBED = 5;

/** The frames of `source`. @throws integrity where it is no zstd, cut off, or wants too large a window; errors of the source */
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

/** What a frame is refused for whose window takes too much memory. */
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

/** Bytes of a header after its descriptor. */
function headerRest(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0) + sizeBytes;
}

/** Bytes that come in pieces, taken in portions of any size. */
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

  /** Up to `size` bytes, at least one. @throws integrity at the end */
  private async some(size: number): Promise<Uint8Array> {
    if (!(await this.hasMore())) throw integrityError('its zstd data is cut off');
    const taken = this.rest.subarray(0, size);
    this.rest = this.rest.subarray(taken.byteLength);
    return taken;
  }

  /** @throws integrity when fewer bytes come */
  async exactly(size: number): Promise<Buffer> {
    const taken = Buffer.alloc(size);
    for (let at = 0; at < size;) {
      const piece = await this.some(size - at);
      taken.set(piece, at);
      at += piece.byteLength;
    }
    return taken;
  }

  /** As many bytes as they come. @throws integrity when fewer come */
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
