// Receives the data of the file being written: writes it at its positions and computes its MD5, with holes counted as zeros. Long holes are
// hashed in slices, so that a terabyte of zeros does not block the process.
import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { SparseRun } from '../../format/tar/sparse-runs.js';

const ZEROS = Buffer.alloc(1 << 20);
const SLICE_BYTES = 64 * ZEROS.length;

export interface IntakeFile {
  readonly size: number;
  readonly runs: readonly SparseRun[] | undefined;
  readonly write: (bytes: Uint8Array, position: number) => void;
}

export class FileIntake {
  private readonly hash = createHash('md5');
  private hashed = 0;
  private run = 0;
  private inRun = 0;
  /** Position up to which zeros still have to be hashed. */
  private zerosTo = 0;

  constructor(private readonly file: IntakeFile) {}

  /** True while zeros wait to be hashed. */
  get isBusy(): boolean {
    return this.zerosTo > this.hashed;
  }

  /** Returns how many bytes were consumed; 0 while it is busy. */
  data(bytes: Buffer): number {
    const { runs } = this.file;
    if (runs === undefined) return this.take(bytes, this.hashed);
    const run = runs[this.run];
    if (run === undefined) throw new Error('a sparse file got more data than its map has');
    const position = run.offset + this.inRun;
    this.zerosTo = position;
    if (this.isBusy) return 0;
    const took = this.take(bytes.subarray(0, run.length - this.inRun), position);
    this.inRun += took;
    if (this.inRun === run.length) {
      this.run++;
      this.inRun = 0;
    }
    return took;
  }

  private take(bytes: Buffer, position: number): number {
    this.file.write(bytes, position);
    this.hash.update(bytes);
    this.hashed += bytes.byteLength;
    return bytes.byteLength;
  }

  /** Call after the last data: the rest of the file is a hole. */
  end(): void {
    this.zerosTo = this.file.size;
  }

  async settle(signal: AbortSignal): Promise<void> {
    for (let slice = 0; this.isBusy; slice += ZEROS.length) {
      if (slice % SLICE_BYTES === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const count = Math.min(ZEROS.length, this.zerosTo - this.hashed);
      this.hash.update(ZEROS.subarray(0, count));
      this.hashed += count;
    }
  }

  /** Returns the MD5 of the whole file in hex. */
  digest(): string {
    return this.hash.digest('hex');
  }
}
