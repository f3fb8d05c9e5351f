// The MD5 of a file that comes in pieces. Holes count as zeros. Pieces that come out of order are not hashed: the hash
// then answers undefined, and whoever needs it reads the file again.
import { createHash, type Hash } from 'node:crypto';
import type { DataRun } from './sparse-map.js';

const ZEROS = Buffer.alloc(64 * 1024);

export class ContentHash {
  private readonly hash: Hash = createHash('md5');
  private position = 0;
  private isInOrder = true;

  /** Bytes that belong at `offset` of the file; what lies between the last ones and these is a hole. */
  update(offset: number, bytes: Uint8Array): void {
    if (offset < this.position) this.isInOrder = false;
    if (!this.isInOrder) return;
    this.zerosTo(offset);
    this.hash.update(bytes);
    this.position = offset + bytes.byteLength;
  }

  private zerosTo(offset: number): void {
    while (this.position < offset) {
      const count = Math.min(ZEROS.byteLength, offset - this.position);
      this.hash.update(count === ZEROS.byteLength ? ZEROS : ZEROS.subarray(0, count));
      this.position += count;
    }
  }

  /** The digest of a file of this size in hex. */
  digest(size: number): string | undefined {
    if (!this.isInOrder) return undefined;
    this.zerosTo(size);
    return this.hash.digest('hex');
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
