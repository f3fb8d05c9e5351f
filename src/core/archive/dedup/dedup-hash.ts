// Hashes files for deduplication, synchronously, in a thread of its own. Only a file that looks as scanned before and after
// it is read counts.
import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { seededHash, type SeededStream } from '../../format/chunk/seeded-hash.js';
import { isAsScanned } from '../scan/as-scanned.js';
import type { EntryTable } from '../../format/columns/entry-table.js';
import { S_IFMT, S_IFREG } from '../scan/left-by-kind.js';
import { isPathError } from '../scan/skip.js';
import type { SourceFs } from '../scan/source-fs.js';

export const DIGEST_BYTES = 32;
const READ_BYTES = 1 << 20;

export interface FileHashing {
  readonly fs: SourceFs;
  readonly table: EntryTable;
  readonly root: RawPath;
  /** Most bytes to hash of each file, from its start. */
  readonly limitBytes: number;
  /** Also make MD5s and write them to the table: the packer compares them with what it stores. */
  readonly withMd5: boolean;
  /** True when the work is to be given up. */
  readonly isStopped: () => boolean;
}

export class FileHasher {
  private readonly stat: Stat = newStat();
  private readonly buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  private readonly rootFd: number;

  constructor(private readonly hashing: FileHashing) {
    this.rootFd = hashing.fs.openRoot(hashing.root);
  }

  /**
   * Writes the SHA-256 of the file to `digest`, or with a seed its XXH64 to the beginning of that; false when it cannot be read
   * or is not as scanned.
   */
  hash(index: number, digest: Buffer, seed?: bigint): boolean {
    const { fs, root, table } = this.hashing;
    try {
      const fd = fs.openFile(this.rootFd, root, table.path(index));
      try {
        return this.hashOpen(index, fd, digest, seed);
      } finally {
        fs.close(fd);
      }
    } catch (error) {
      if (isPathError(error)) return false; // the packer reports why
      throw error;
    }
  }

  private hashOpen(index: number, fd: number, digest: Buffer, seed?: bigint): boolean {
    const { table, limitBytes, withMd5, isStopped } = this.hashing;
    if (!this.isAsScanned(index, fd)) return false;
    const proof = seed === undefined ? new Sha256() : seededHash()?.stream(seed);
    if (proof === undefined) return false;
    const md5 = withMd5 ? createHash('md5') : undefined;
    const size = Math.min(table.columns.size[index] ?? 0, limitBytes);
    for (let at = 0; at < size;) {
      const got = readSync(fd, this.buffer, 0, Math.min(READ_BYTES, size - at), at);
      if (got === 0 || isStopped()) return false;
      const bytes = this.buffer.subarray(0, got);
      proof.update(bytes);
      md5?.update(bytes);
      at += got;
    }
    if (!this.isAsScanned(index, fd)) return false;
    proof.writeTo(digest, 0);
    if (md5 !== undefined) table.md5.set(md5.digest(), index * 16);
    return true;
  }

  private isAsScanned(index: number, fd: number): boolean {
    const { fs, table } = this.hashing;
    fs.fstat(fd, this.stat);
    return (this.stat.mode & S_IFMT) === S_IFREG && isAsScanned(table.columns, index, this.stat);
  }

  close(): void {
    this.hashing.fs.close(this.rootFd);
  }
}

class Sha256 implements SeededStream {
  private readonly hash: Hash = createHash('sha256');

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  writeTo(digests: Buffer, at: number): void {
    digests.set(this.hash.digest(), at);
  }
}
