// zstd compiled to WebAssembly: it has a fifth of the addon's speed, but works wherever Node does (docs/decisions/023). It writes the same
// frames byte for byte; the checksum, which its interface has no option for, is added here.
import { ArchiverError, errorText, integrityError } from '../failures/errors.js';
import type { Codec } from './codec-type.js';
import { GET_ADDON } from './zstd-binding.js';
import { copyPieces, maxCompressedSize } from './whole-frames.js';
import { checkFrame, readFrameHeader } from './zstd-frame.js';

const DESCRIPTOR = 4;
const HAS_CHECKSUM = 0x04;
const CHECKSUM_BYTES = 4;
/** The module's memory is limited to 2 GiB, and holds a frame both compressed and decompressed. */
const MAX_RAW_BYTES = 896 * 1024 * 1024;

const FASTER = `use Node 22.15 or later, or build the addon: ${GET_ADDON}`;

async function startModule() {
  const { default: zstd } = await import('@bokuweb/zstd-wasm');
  await zstd.init();
  return zstd;
}

let started: ReturnType<typeof startModule> | undefined;

/** Starts the module once: a second start would invalidate the memory of running calls. */
const startedModule = async (): ReturnType<typeof startModule> => await (started ??= startModule());

export interface WasmDecoder {
  /** @throws unsupported for more bytes than the module can hold */
  refuseHuge(rawSize: number): void;
  /** Decodes one frame with at most `mostBytes` bytes of content. @throws integrity */
  decode(frame: Uint8Array, mostBytes: number): Uint8Array;
}

/** Loads a decoder for frames that need not contain their content size. @throws what keeps the module from being loaded */
export async function loadWasmDecoder(): Promise<WasmDecoder> {
  const zstd = await startedModule();
  return {
    refuseHuge,
    decode(frame, mostBytes) {
      try {
        return zstd.decompress(frame, { defaultHeapSize: mostBytes });
      } catch (error) {
        throw integrityError(`its zstd data cannot be decoded: ${errorText(error)}`);
      }
    },
  };
}

/** Loads the codec. @throws what keeps the module from being loaded */
export async function loadWasmCodec(): Promise<Codec> {
  const [zstd, { default: xxhash }] = await Promise.all([startedModule(), import('xxhash-wasm')]);
  const hash = await xxhash();

  const decode = (source: Uint8Array, rawSize: number): Uint8Array => {
    checkFrame(source, rawSize);
    refuseHuge(rawSize);
    let decoded: Uint8Array;
    try {
      decoded = zstd.decompress(source);
    } catch (error) {
      throw integrityError(`not a sound zstd frame: ${errorText(error)}`);
    }
    if (decoded.byteLength !== rawSize) throw integrityError('not a sound zstd frame: it gives less than it says');
    return decoded;
  };

  return {
    version: 'zstd 1.5 (WebAssembly)',
    slowness: `zstd runs as WebAssembly, at about a fifth of the speed; ${FASTER}`,
    compressBound: (rawSize) => maxCompressedSize(rawSize) + CHECKSUM_BYTES,
    compressFrame(target, source, level) {
      refuseHuge(source.byteLength);
      const frame = zstd.compress(source, level);
      target.set(frame);
      target[DESCRIPTOR] = (frame[DESCRIPTOR] ?? 0) | HAS_CHECKSUM;
      const checksum = Number(BigInt.asUintN(32, hash.h64Raw(source)));
      new DataView(target.buffer, target.byteOffset).setUint32(frame.byteLength, checksum, true);
      return frame.byteLength + CHECKSUM_BYTES;
    },
    decompressFrame(target, source) {
      target.set(decode(source, target.byteLength));
      return target.byteLength;
    },
    decompressPieces: (source, rawSize, piece, onPiece) => copyPieces(decode(source, rawSize), piece, onPiece),
    frameContentSize: (source) => readFrameHeader(source).contentSize,
  };
}

function refuseHuge(rawSize: number): void {
  if (rawSize <= MAX_RAW_BYTES) return;
  throw new ArchiverError('unsupported', `a frame of ${rawSize} bytes is more than zstd in WebAssembly can hold`, {
    hint: FASTER,
  });
}
