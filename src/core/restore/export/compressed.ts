// Compresses the bytes of an archive as they come, and joins small pieces.
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { loadCodec } from '../../platform/codec/codec.js';
import type { Bytes } from './archive-format.js';

export type Compression = 'none' | 'gzip' | 'zstd';

const FRAME_BYTES = 4 * 2 ** 20;
const PIECE_BYTES = 2 ** 18;
const ZSTD_LEVEL = 3;

/** Returns the bytes in pieces that are worth a write. */
export function compressed(bytes: Bytes, compression: Compression): AsyncIterable<Uint8Array> {
  switch (compression) {
    case 'none':
      return inPieces(bytes, PIECE_BYTES);
    case 'gzip':
      return gzipped(bytes);
    case 'zstd':
      return zstdFrames(bytes);
    default:
      return compression satisfies never;
  }
}

/** Frames after each other are one stream for every decoder. */
async function* zstdFrames(bytes: Bytes): Bytes {
  const codec = loadCodec();
  for await (const piece of inPieces(bytes, FRAME_BYTES)) {
    const target = Buffer.allocUnsafe(codec.compressBound(piece.byteLength));
    yield target.subarray(0, codec.compressFrame(target, piece, ZSTD_LEVEL));
  }
}

async function* gzipped(bytes: Bytes): Bytes {
  const gzip = createGzip();
  const source = Readable.from(inPieces(bytes, PIECE_BYTES), { objectMode: false });
  source.on('error', (error) => gzip.destroy(error));
  try {
    yield* source.pipe(gzip) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

/** Joins what is smaller than `size`; larger pieces are cut. */
async function* inPieces(bytes: Bytes, size: number): Bytes {
  let piece = Buffer.allocUnsafe(size);
  let length = 0;
  for await (const more of bytes) {
    for (let at = 0; at < more.byteLength;) {
      const take = Math.min(size - length, more.byteLength - at);
      piece.set(more.subarray(at, at + take), length);
      length += take;
      at += take;
      if (length < size) continue;
      yield piece;
      piece = Buffer.allocUnsafe(size);
      length = 0;
    }
  }
  if (length > 0) yield piece.subarray(0, length);
}
