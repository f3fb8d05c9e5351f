// The last frames of which a part was read, decoded, in memory: who reads a file in small pieces, or small files one after another, asks for the
// same frame again and again, and each time it would be read, hashed and decoded as a whole. It holds at most so many bytes, and the frame
// that was not asked for longest goes first. What is held has been checked.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';

/** Four frames of the default size. */
const LIMIT_BYTES = 64 * 1024 * 1024;

export class DecodedFrames {
  /** The most recently used last. */
  private readonly held = new Map<string, Uint8Array>();
  private bytes = 0;

  constructor(private readonly limitBytes = LIMIT_BYTES) {}

  /** Returns the content of a frame, not to be changed; undefined if it is not held. */
  get(record: ChunkRecord, frame: number): Uint8Array | undefined {
    const key = keyOf(record, frame);
    const decoded = this.held.get(key);
    if (decoded === undefined) return undefined;
    this.held.delete(key);
    this.held.set(key, decoded);
    return decoded;
  }

  has(record: ChunkRecord, frame: number): boolean {
    return this.held.has(keyOf(record, frame));
  }

  /** Holds the content of a frame, unless it is larger than all that may be held. */
  keep(record: ChunkRecord, frame: number, decoded: Uint8Array): void {
    const key = keyOf(record, frame);
    if (this.held.has(key) || decoded.byteLength > this.limitBytes) return;
    this.held.set(key, decoded);
    this.bytes += decoded.byteLength;
    for (const [oldest, { byteLength }] of this.held) {
      if (this.bytes <= this.limitBytes) return;
      this.held.delete(oldest);
      this.bytes -= byteLength;
    }
  }
}

/** The same stored bytes are something else where they are content by themselves. */
const keyOf = ({ content, frames }: ChunkRecord, frame: number): string =>
  `${content === 'file' ? 'file' : 'tar'} ${frames[frame]?.sha256 ?? ''}`;
