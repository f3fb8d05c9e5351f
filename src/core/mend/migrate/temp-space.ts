// Keeps an extraction from filling the file system of its temporary folder. The size that an archive announces is not trusted: free space
// is checked again while it is being used.
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

export interface FreeSpace {
  readonly bytes: number;
  readonly totalBytes: number;
  /** Free inodes; undefined on file systems that do not count them. */
  readonly files: number | undefined;
}

const ASK_AFTER_BYTES = 16 * 1024 * 1024;
const ASK_AFTER_FILES = 1000;
const MOST_RESERVED = 1024 ** 3;
const RESERVED_SHARE = 0.05;
/** Inodes left for others; large enough that the next check comes before they are gone. */
const RESERVED_FILES = 2 * ASK_AFTER_FILES;

const reserveOf = ({ totalBytes }: FreeSpace): number => Math.min(MOST_RESERVED, totalBytes * RESERVED_SHARE);
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

export class TempSpace {
  private bytes = 0;
  private files = 0;

  /** `where` is the temporary folder; `ask` returns the free space of its file system. */
  constructor(
    private readonly where: string,
    private readonly ask: () => FreeSpace,
  ) {}

  /** Checks that at least so many bytes fit. @throws no-space when they cannot */
  expect(bytes: number): void {
    const free = this.ask();
    const usable = Math.max(0, free.bytes - reserveOf(free));
    if (bytes > usable) throw this.full(`it needs at least ${mib(bytes)}, and ${mib(usable)} can be used`);
  }

  /** Call for everything that is written. @throws no-space when hardly anything is left */
  used(bytes: number, files: number): void {
    this.bytes += bytes;
    this.files += files;
    if (this.bytes < ASK_AFTER_BYTES && this.files < ASK_AFTER_FILES) return;
    this.bytes = this.files = 0;
    const free = this.ask();
    if (free.bytes < reserveOf(free)) throw this.full(`${mib(free.bytes)} are left, and those are kept for others`);
    if (free.files !== undefined && free.files < RESERVED_FILES) throw this.full('it has no room for more files');
  }

  /** Returns the error for a full disk. */
  full(why: string, cause?: unknown): ArchiverError {
    return new ArchiverError('no-space', `the archive does not fit into ${printable(this.where)}: ${why}`, {
      hint: 'name a folder on a larger file system with --temp-dir; nothing was uploaded',
      cause,
    });
  }
}
