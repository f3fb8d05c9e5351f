// Computes the MD5, or the seeded XXH64, of a file that comes in pieces. Holes count as zeros, which take half an hour per terabyte to hash, and a manifest of a
// few bytes can ask for that. So holes are limited (`HoleLimit`), and hashing them can be stopped. Pieces out of order are not hashed: the
// digest is then undefined, and the caller reads the file again.
import { createHash } from 'node:crypto';
import { seededHash } from '../../format/chunk/seeded-hash.js';
import { cancelledError, integrityError } from '../../platform/failures/errors.js';
import type { DataRun } from '../plan/sparse-map.js';

const ZEROS = Buffer.alloc(1024 * 1024);
/** Most bytes of holes that one worker hashes in one run: the longest file of ext4, and some eight hours of hashing. */
const MAX_HASHED_HOLE_BYTES = 16 * 2 ** 40;

/** Limits the hashing of holes in all files of a worker. */
export class HoleLimit {
  private left: number;

  constructor(
    private readonly isStopped: () => boolean = () => false,
    limitBytes = MAX_HASHED_HOLE_BYTES,
  ) {
    this.left = limitBytes;
  }

  /** Called before a file is hashed. @throws integrity when it has more bytes of holes than are left */
  take(holes: readonly (readonly [number, number])[] = []): void {
    let bytes = 0;
    for (const [, length] of holes) bytes += length;
    if (bytes > this.left) {
      throw integrityError(
        `its checksum is not compared: ${bytes} bytes of holes would have to be hashed (--verify=false restores it without)`,
      );
    }
    this.left -= bytes;
  }

  /** Checks whether to stop. @throws cancelled when the work is to stop */
  check(): void {
    if (this.isStopped()) throw cancelledError();
  }
}

interface PieceHash {
  update(bytes: Uint8Array): unknown;
  /** In hex. */
  digest(): string;
}

/** Returns a hash for pieces: the XXH64 with this seed, or the MD5 without one. */
export function pieceHash(seed: bigint | undefined): PieceHash {
  const seeded = seed === undefined ? undefined : seededHash()?.stream(seed);
  if (seeded === undefined) {
    const md5 = createHash('md5');
    return { update: (bytes) => md5.update(bytes), digest: () => md5.digest('hex') };
  }
  return {
    update: (bytes) => seeded.update(bytes),
    digest() {
      const digest = Buffer.alloc(8);
      seeded.writeTo(digest, 0);
      return digest.toString('hex');
    },
  };
}

export class ContentHash {
  private readonly hash: PieceHash;
  private position = 0;
  private isInOrder = true;

  constructor(
    private readonly limit: HoleLimit = new HoleLimit(),
    seed?: bigint,
  ) {
    this.hash = pieceHash(seed);
  }

  /** Hashes bytes that belong at `offset` of the file; anything between the last ones and these is a hole. */
  update(offset: number, bytes: Uint8Array): void {
    if (offset < this.position) this.isInOrder = false;
    if (!this.isInOrder) return;
    this.zerosTo(offset);
    this.hash.update(bytes);
    this.position = offset + bytes.byteLength;
  }

  private zerosTo(offset: number): void {
    while (this.position < offset) {
      this.limit.check();
      const count = Math.min(ZEROS.byteLength, offset - this.position);
      this.hash.update(count === ZEROS.byteLength ? ZEROS : ZEROS.subarray(0, count));
      this.position += count;
    }
  }

  /** Returns the digest of a file of this size in hex; undefined if pieces came out of order. */
  digest(size: number): string | undefined {
    if (!this.isInOrder) return undefined;
    this.zerosTo(size);
    return this.hash.digest();
  }
}

/** Calls `use` for each part of `bytes` with the offset in the file where it belongs. */
export function scatter(
  runs: readonly DataRun[],
  position: number,
  bytes: Uint8Array,
  use: (offset: number, part: Uint8Array) => void,
): void {
  let at = 0;
  for (const run of runs) {
    const inRun = position + at - run.position;
    if (inRun >= run.length) continue;
    if (at >= bytes.byteLength) return;
    const count = Math.min(run.length - inRun, bytes.byteLength - at);
    use(run.offset + inRun, bytes.subarray(at, at + count));
    at += count;
  }
}
