// The output of one chunk: compressed frames one after the other, and what is recorded of each.
import { createHash, hash, type Hash } from 'node:crypto';
import type { FrameRecord } from '../../format/manifest/manifest-types.js';

export class ChunkFrames {
  /** Bytes in `output`. */
  length = 0;
  readonly records: FrameRecord[] = [];
  /** Rooms of frames that threads compress for this chunk (frame-desk.ts), in order: they follow those in `records`. */
  readonly laid: number[] = [];
  /** The digest of the first frame, and what made it: the chunk's begins alike. */
  private begun: { readonly sha256: string; readonly hash: Hash } | undefined;

  /** `output` is replaced by a larger one if need be; `level`: 0 until it is chosen. */
  constructor(
    public output: Buffer,
    public level: number,
  ) {}

  /** Number of all frames. */
  get count(): number {
    return this.records.length + this.laid.length;
  }

  /** Appends bytes as they are. */
  append(bytes: Uint8Array): void {
    this.ensure(bytes.length);
    this.output.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The next `bytes` of the output, to be filled and counted in `length`. */
  space(bytes: number): Buffer {
    this.ensure(bytes);
    return this.output.subarray(this.length, this.length + bytes);
  }

  /** Returns the SHA-256 of the next frame, in hex. */
  frameDigest(stored: Uint8Array): string {
    if (this.records.length > 0) return hash('sha256', stored);
    const begun = createHash('sha256').update(stored);
    const sha256 = begun.copy().digest('hex');
    this.begun = { sha256, hash: begun };
    return sha256;
  }

  /** Returns the SHA-256 of the output from `start` on, where the first frame lies, in hex. */
  digestFrom(start: number): string {
    const bytes = this.output.subarray(start, this.length);
    const [first] = this.records;
    if (first === undefined || first.sha256 !== this.begun?.sha256) return hash('sha256', bytes);
    return this.begun.hash.copy().update(bytes.subarray(first.size)).digest('hex');
  }

  /** Drops all frames but the first `count`; returns the bytes of the next, valid until something is appended, and its record. */
  dropFrom(count: number): { readonly stored: Buffer; readonly record: FrameRecord } | undefined {
    const dropped = this.records.splice(count);
    this.length -= dropped.reduce((sum, { size }) => sum + size, 0);
    const [record] = dropped;
    return record && { stored: this.output.subarray(this.length, this.length + record.size), record };
  }

  private ensure(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.output.length) return;
    const larger = Buffer.from(new SharedArrayBuffer(Math.max(needed, Math.ceil(this.output.length * 1.5))));
    this.output.copy(larger, 0, 0, this.length);
    this.output = larger;
  }
}
