// Computes the checksums of a file that is read piece by piece.
import { createHash } from 'node:crypto';
import { type EntryTable, MD5_BYTES, SHA256_BYTES, XXH64_BYTES } from '../../format/columns/entry-table.js';
import type { Md5Chain } from '../../platform/md5/md5-chain.js';
import { seededHash } from '../../format/chunk/seeded-hash.js';

/** The checksums to make of each file. */
export interface DigestSettings {
  /** MD5. */
  readonly fileChecksums: boolean;
  /** Also SHA-256, by which later versions find content that is stored. */
  readonly sha256?: boolean;
  /** Also XXH64 with this seed, by which later versions tell that content did not change. */
  readonly seed?: bigint | undefined;
}

export class ContentDigests {
  private readonly md5;
  private readonly sha256;
  private readonly xxh64;

  /** With `chain`, which is then theirs, all bytes must lie in its memory, and stay there until it is settled. */
  constructor({ fileChecksums, sha256 = false, seed }: DigestSettings, chain?: Md5Chain) {
    this.md5 = fileChecksums ? (chain?.begin() ?? createHash('md5')) : undefined;
    this.sha256 = sha256 ? createHash('sha256') : undefined;
    this.xxh64 = seed === undefined ? undefined : seededHash()?.stream(seed);
  }

  /** False when nothing has to be hashed. */
  get isNeeded(): boolean {
    return (this.md5 ?? this.sha256 ?? this.xxh64) !== undefined;
  }

  update(bytes: Uint8Array): void {
    this.md5?.update(bytes);
    this.sha256?.update(bytes);
    this.xxh64?.update(bytes);
  }

  /** Ends the checksums, and writes them to row `index`. */
  writeTo(table: EntryTable, index: number): void {
    if (this.md5 !== undefined) table.md5.set(this.md5.digest(), index * MD5_BYTES);
    if (this.sha256 !== undefined) table.sha256.set(this.sha256.digest(), index * SHA256_BYTES);
    this.xxh64?.writeTo(table.xxh64, index * XXH64_BYTES);
  }
}
