// Computes MD5s of the whole files in the frame that is being filled: they are gathered, and made together when the frame ends, four to
// five times as fast as one by one (core/platform/md5). Without WebAssembly SIMD each is made at once.
import { hash } from 'node:crypto';
import type { Md5Lanes } from '../../platform/md5/md5-lanes.js';

const CAPACITY = 8192;
const DIGEST = 16;

export class Md5Batch {
  private readonly entries = new Uint32Array(CAPACITY);
  private readonly starts = new Uint32Array(CAPACITY);
  private readonly lengths = new Uint32Array(CAPACITY);
  private readonly made = Buffer.alloc(CAPACITY * DIGEST);
  private waiting = 0;
  /** Number of MD5s made before those that wait. */
  private done = 0;

  /** `digests` receives 16 bytes at 16 times the entry's number; without `lanes` each MD5 is made alone. */
  constructor(
    private digests: Buffer,
    private readonly lanes: Md5Lanes | undefined,
  ) {}

  /** Goes on with another Buffer for digests. All that waits must have been made. */
  into(digests: Buffer): void {
    this.digests = digests;
  }

  /**
   * Allocates memory for a frame and copies into it the content of `before`, the last Buffer allocated, which must not be used any more.
   */
  allocate(bytes: number, before?: Buffer): Buffer {
    if (this.lanes !== undefined) return this.lanes.allocate(bytes); // keeps its content, and detaches `before`
    const frame = Buffer.allocUnsafeSlow(bytes);
    before?.copy(frame);
    return frame;
  }

  /** Goes on with a frame in another room of the same memory. All that waits must have been made. */
  use(frame: Buffer): void {
    this.lanes?.use(frame);
  }

  /** Adds the content of `entry`: `length` bytes at `start` of `frame`, the last Buffer allocated, which must stay there until `run`. */
  add(entry: number, frame: Buffer, start: number, length: number): void {
    if (this.lanes === undefined) {
      // Written as text: a Buffer of sixteen bytes would be an allocation of its own outside the heap.
      this.digests.write(hash('md5', frame.subarray(start, start + length)), entry * DIGEST, 'hex');
      return;
    }
    if (this.waiting === CAPACITY) this.run();
    this.entries[this.waiting] = entry;
    this.starts[this.waiting] = start;
    this.lengths[this.waiting] = length;
    this.waiting++;
  }

  /** Makes all MD5s that wait. */
  run(): void {
    const { waiting, made } = this;
    if (waiting === 0) return;
    this.lanes?.hash(this.starts, this.lengths, waiting, made);
    for (let i = 0; i < waiting; i++) {
      made.copy(this.digests, (this.entries[i] ?? 0) * DIGEST, i * DIGEST, (i + 1) * DIGEST);
    }
    this.done += waiting;
    this.waiting = 0;
  }

  /** Returns the current position, for `rewind`. */
  mark(): number {
    return this.done + this.waiting;
  }

  /** Forgets what was added since; an MD5 that was made already is made again when its file is added again. */
  rewind(mark: number): void {
    this.waiting = Math.max(0, Math.min(this.waiting, mark - this.done));
  }
}
