// Files that are written whole under their temporary names and whose MD5 is not compared yet. The MD5 of one file
// cannot be made on several lanes, but those of eight files can: they wait here until there are enough of them, are
// read back piece by piece (from the page cache, where they have just been written to) and hashed together, for a third
// of what OpenSSL needs one by one.
import { LANE_LIMIT_BYTES } from '../../platform/md5/md5-lanes.js';
import { loadMd5Streams, STREAMS_AT_ONCE, type Md5Streams, type StreamSource } from '../../platform/md5/md5-streams.js';

/** Longer files are hashed as they are written: the page cache need not hold eight of them. */
export const MAX_PENDING_FILE_BYTES = 1 << 26;
/** Most bytes of one worker that are written and not hashed yet. */
const MAX_BACKLOG_BYTES = 1 << 28;

export class PendingFiles {
  private streams: { readonly loaded: Md5Streams | undefined } | undefined;

  /** `load` returns the lanes, or undefined if they cannot run; called when they are first needed. */
  constructor(private readonly load: () => Md5Streams | undefined = loadMd5Streams) {}

  /** Whether a file of this size is to wait; others are hashed as they come. */
  takes(sizeBytes: number): boolean {
    return sizeBytes > LANE_LIMIT_BYTES && sizeBytes <= MAX_PENDING_FILE_BYTES && this.lanes() !== undefined;
  }

  private lanes(): Md5Streams | undefined {
    this.streams ??= { loaded: this.load() };
    return this.streams.loaded;
  }

  /** Adds a complete file; when all lanes have one, or too much waits, hashes until that is no longer the case. */
  add(file: StreamSource): void {
    const lanes = this.lanes();
    lanes?.add(file);
    lanes?.advance(STREAMS_AT_ONCE - 1, MAX_BACKLOG_BYTES);
  }

  /** Hashes all files that wait. */
  finish(): void {
    this.streams?.loaded?.advance(0, 0);
  }

  /** Forgets all files that wait. */
  clear(): void {
    this.streams?.loaded?.clear();
  }
}
