// The compressors that are compared, each used like here: one frame at a time, independently, in one thread.
import { gunzipSync, gzipSync, deflateSync, inflateSync } from 'node:zlib';
import { loadCodec } from '../../platform/codec/codec.js';

export const ALGORITHMS = ['gzip', 'zlib', 'zstd', 'lz4', 's2'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export interface Candidate {
  readonly algorithm: Algorithm;
  /** Null when there is only one level. */
  readonly level: number | null;
}

const LEVELS: Readonly<Record<Algorithm, readonly (number | null)[]>> = {
  gzip: [1, 6, 9],
  zlib: [1, 6, 9],
  // One of each band of `--compression-level`, including all levels that are chosen by content.
  zstd: [1, 3, 9, 19],
  lz4: [null],
  s2: [null],
};

/** All candidates, by algorithm and level. */
export const CANDIDATES: readonly Candidate[] = ALGORITHMS.flatMap((algorithm) =>
  LEVELS[algorithm].map((level) => ({ algorithm, level })),
);

/** Results are valid until the next call of the same function. */
export interface Compressor {
  compress(raw: Buffer): Buffer;
  /** `rawBytes` is the size of the result. */
  decompress(stored: Buffer, rawBytes: number): Buffer;
}

/** Size of the pieces in which zlib produces its output. */
const PIECE_BYTES = 2 ** 18;

type Addon = 'lz4-napi' | 'snappy';

/** Returns undefined when an addon is not installed, or does not run here; `load` imports it. */
export async function openCompressor(
  { algorithm, level }: Candidate,
  load: (name: Addon) => Promise<unknown> = loadAddon,
): Promise<Compressor | undefined> {
  const options = { chunkSize: PIECE_BYTES, ...(level === null ? {} : { level }) };
  const addon = <T>(name: Addon): Promise<T | undefined> =>
    load(name).then(
      (module) => module as T,
      () => undefined, // the row shows that it is missing
    );
  switch (algorithm) {
    case 'gzip':
      return { compress: (raw) => gzipSync(raw, options), decompress: (stored) => gunzipSync(stored, options) };
    case 'zlib':
      return { compress: (raw) => deflateSync(raw, options), decompress: (stored) => inflateSync(stored, options) };
    case 'zstd':
      return zstd(level ?? 3);
    case 'lz4': {
      const lz4 = await addon<typeof import('lz4-napi')>('lz4-napi');
      return (
        lz4 && {
          compress: (raw) => lz4.compressFrameSync(raw),
          decompress: (stored) => lz4.decompressFrameSync(stored),
        }
      );
    }
    case 's2': {
      const snappy = await addon<typeof import('snappy')>('snappy');
      return (
        snappy && {
          compress: (raw) => snappy.compressSync(raw),
          decompress: (stored) => Buffer.from(snappy.uncompressSync(stored)),
        }
      );
    }
    default:
      return algorithm satisfies never;
  }
}

const loadAddon = async (name: Addon): Promise<unknown> =>
  name === 'snappy' ? await import('snappy') : await import('lz4-napi');

/** One buffer each per thread: blocks are large, and only one is held at a time. */
let [target, back] = [Buffer.alloc(0), Buffer.alloc(0)];

/** Compresses like an upload, into preallocated buffers. */
function zstd(level: number): Compressor {
  const codec = loadCodec();
  return {
    compress(raw) {
      const bound = codec.compressBound(raw.length);
      if (target.length < bound) target = Buffer.allocUnsafeSlow(bound);
      return target.subarray(0, codec.compressFrame(target, raw, level));
    },
    decompress(stored, rawBytes) {
      if (back.length < rawBytes) back = Buffer.allocUnsafeSlow(rawBytes);
      return back.subarray(0, codec.decompressFrame(back.subarray(0, rawBytes), stored));
    },
  };
}
