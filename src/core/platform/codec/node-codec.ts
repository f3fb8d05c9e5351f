// zstd through Node's own zlib (22.15 and later). It creates a context per call and returns its own buffers, so it is slower and needs a
// second copy in memory; it lets archiver work on a machine without a compiler.
import zlib from 'node:zlib';
import { errorText, integrityError } from '../failures/errors.js';
import type { Codec } from './codec-type.js';
import { GET_ADDON } from './zstd-binding.js';
import { copyPieces, maxCompressedSize } from './whole-frames.js';
import { checkFrame, readFrameHeader } from './zstd-frame.js';

interface ZstdOptions {
  readonly params?: Readonly<Record<number, number>>;
  readonly pledgedSrcSize?: number;
  readonly maxOutputLength?: number;
}

/** The parts of `node:zlib` that are used; the types of Node 20 lack them. */
export interface ZstdModule {
  readonly zstdCompressSync?: (source: Uint8Array, options: ZstdOptions) => Buffer;
  readonly zstdDecompressSync?: (source: Uint8Array, options: ZstdOptions) => Buffer;
  readonly constants: Readonly<Record<string, number | undefined>>;
}

// zstd.h, ZSTD_cParameter: fixed forever by the library's stable API.
const COMPRESSION_LEVEL = 100;
const CONTENT_SIZE_FLAG = 200;
const CHECKSUM_FLAG = 201;

/** Returns the codec, or undefined when Node has no zstd. */
export function loadNodeCodec(module: ZstdModule = zlib): Codec | undefined {
  const { zstdCompressSync, zstdDecompressSync } = module;
  if (!zstdCompressSync || !zstdDecompressSync) return undefined;

  const decode = (source: Uint8Array, rawSize: number): Buffer => {
    checkFrame(source, rawSize);
    let decoded: Buffer;
    try {
      decoded = zstdDecompressSync(source, { maxOutputLength: Math.max(1, rawSize) });
    } catch (error) {
      throw integrityError(`not a sound zstd frame: ${errorText(error)}`);
    }
    if (decoded.byteLength !== rawSize) throw integrityError('not a sound zstd frame: it gives less than it says');
    return decoded;
  };

  return {
    version: `zstd ${process.versions['zstd'] ?? '(Node)'}`,
    slowness: `zstd of Node is used, at about half the speed of the addon; to get that: ${GET_ADDON}`,
    compressBound: maxCompressedSize,
    compressFrame(target, source, level) {
      const params = { [COMPRESSION_LEVEL]: level, [CONTENT_SIZE_FLAG]: 1, [CHECKSUM_FLAG]: 1 };
      const frame = zstdCompressSync(source, { params, pledgedSrcSize: source.byteLength });
      target.set(frame);
      return frame.byteLength;
    },
    decompressFrame(target, source) {
      target.set(decode(source, target.byteLength));
      return target.byteLength;
    },
    decompressPieces: (source, rawSize, piece, onPiece) => copyPieces(decode(source, rawSize), piece, onPiece),
    frameContentSize: (source) => readFrameHeader(source).contentSize,
  };
}
