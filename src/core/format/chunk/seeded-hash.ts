// XXH64 of contents, seeded by the upload that stores them. Together with the MD5 it tells whether a file is what is stored
// (docs/decisions/059): two contents with one MD5 can be made, but not for an upload that begins later, whose seed is not known yet.
import { hash } from 'node:crypto';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** Bytes given to the module at a time: it keeps a copy, which stays in the processor's cache. */
const STEP_BYTES = 1 << 18;

/** Hashes content that comes in pieces. */
export interface SeededStream {
  update(bytes: Uint8Array): void;
  /** Writes the hash, big-endian. */
  writeTo(digests: Buffer, at: number): void;
}

export interface SeededHash {
  /** Writes the hash of all of `bytes`, big-endian. */
  write(bytes: Uint8Array, seed: bigint, digests: Buffer, at: number): void;
  stream(seed: bigint): SeededStream;
}

/** Returns the seed of what lies in the folder of this upload. */
export const seedOf = (uploadId: UploadId): bigint => hash('sha256', uploadId, 'buffer').readBigUInt64LE(0);

let loaded: SeededHash | undefined;

/** False if WebAssembly is missing, as under --jitless: contents are then recorded without, and sent again when they move. */
export const hasSeededHash = (): boolean => 'WebAssembly' in globalThis;

/** Loads the hash functions: to be awaited before a thread calls `seededHash`, as loading WebAssembly takes a moment. */
export async function readySeededHash(): Promise<void> {
  if (hasSeededHash()) loaded ??= await load();
}

/** Returns the hash functions, or undefined if WebAssembly is missing. @throws internal where nobody has awaited `readySeededHash` */
export function seededHash(): SeededHash | undefined {
  if (loaded === undefined && hasSeededHash())
    throw new ArchiverError('internal', 'XXH64 is used before its WebAssembly is loaded');
  return loaded;
}

async function load(): Promise<SeededHash> {
  const { default: xxhash } = await import('xxhash-wasm');
  const hashes = await xxhash();
  const stream = (seed: bigint): SeededStream => {
    const state = hashes.create64(seed);
    return {
      update(bytes) {
        for (let at = 0; at < bytes.length; at += STEP_BYTES) state.update(bytes.subarray(at, at + STEP_BYTES));
      },
      writeTo: (digests, at) => void digests.writeBigUInt64BE(state.digest(), at),
    };
  };
  return {
    stream,
    write(bytes, seed, digests, at) {
      if (bytes.length <= STEP_BYTES) {
        digests.writeBigUInt64BE(hashes.h64Raw(bytes, seed), at);
        return;
      }
      const all = stream(seed);
      all.update(bytes);
      all.writeTo(digests, at);
    },
  };
}
