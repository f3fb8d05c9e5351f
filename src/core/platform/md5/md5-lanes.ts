// MD5 of many byte ranges of one buffer at once, several times faster than OpenSSL one after another: MD5 waits for itself within a stream,
// so a core has room for more streams (see md5-kernel.ts). Same digests as `crypto.hash`, for ranges of any length. Each instance has its
// own memory and belongs to one thread. Data is never moved: it must be in that memory.
import { hash as hashAlone } from 'node:crypto';
import { ArchiverError } from '../failures/errors.js';
import { LaneSchedule } from './lane-schedule.js';
import { LaneRunner, LENGTH_BYTES } from './lane-runner.js';
import { type Kernel, loadKernel } from './load-kernel.js';
import { BLOCK_BYTES, DATA_AT, LANES, TAILS_AT } from './md5-kernel.js';

const DIGEST_BYTES = 16;
/** A message's last block is loaded whole, past its end. */
const MARGIN_BYTES = BLOCK_BYTES;
/**
 * What a restore gives the lanes, since a frame holds few longer ones: in a buffer of 4 MiB, eight ranges of 512 KiB are hashed 5 times as
 * fast as by `crypto.hash`, four of 1 MiB 2.7 times, two of 2 MiB 1.3 times (bench/md5.mjs). `hash` is correct, and no slower than
 * `crypto.hash`, for longer ones too.
 */
export const LANE_LIMIT_BYTES = 1 << 20;

/** Reach of 32-bit addresses, less what the kernel needs. */
const MAX_BYTES = 2 ** 32 - DATA_AT - MARGIN_BYTES;
const IDLE = -1;

export interface Md5Lanes {
  /**
   * Returns `bytes` of the module's memory, always from the same start: requesting more keeps the content, so a full Buffer is enlarged
   * without a copy. Earlier Buffers become empty (length 0) when the memory has to grow.
   * @throws internal above 4 GiB, or when the system has no memory
   */
  allocate(bytes: number): Buffer;
  /** Ranges lie in `data` from now on, which is of the module's memory, too. @throws internal for another memory */
  use(data: Buffer): void;
  /**
   * Computes the MD5 of `count` ranges `[starts[i], starts[i] + lengths[i])` of the allocated bytes, into `digests` at `i * 16`. Ranges may
   * overlap, be empty and come in any order. @throws internal for a range outside
   */
  hash(starts: Uint32Array, lengths: Uint32Array, count: number, digests: Uint8Array): void;
}

interface Batch {
  readonly starts: Uint32Array;
  readonly lengths: Uint32Array;
  readonly count: number;
  readonly digests: DataView;
  /** Number of ranges in the schedule's order that lanes were given. */
  next: number;
}

/** Returns undefined when WebAssembly or its SIMD is missing, or there is no address space: use `crypto.hash` then. */
export function loadMd5Lanes(validate?: (bytes: Uint8Array) => boolean): Md5Lanes | undefined {
  const kernel = loadKernel(validate);
  return kernel === undefined ? undefined : new Lanes(kernel);
}

/** Returns lanes in a memory that cannot grow, for at most `mostBytes` of data. */
export const lanesIn = (kernel: Kernel, mostBytes: number): Md5Lanes => new Lanes(kernel, mostBytes);

class Lanes implements Md5Lanes {
  private readonly schedule = new LaneSchedule();
  private readonly runner: LaneRunner;
  private dataAt: number;
  private data: Buffer;
  /** The range in each lane, and its blocks of padding that still have to follow. */
  private readonly rangeOf = new Int32Array(LANES);
  private readonly tailBlocks = new Uint32Array(LANES);

  /** The memory cannot grow beyond `mostBytes` of data. */
  constructor(
    private readonly kernel: Kernel,
    private readonly mostBytes = MAX_BYTES,
  ) {
    this.runner = new LaneRunner(kernel);
    this.dataAt = kernel.base + DATA_AT;
    this.data = Buffer.from(kernel.memory.buffer, this.dataAt, 0);
  }

  allocate(bytes: number): Buffer {
    if (!(bytes >= 0 && bytes <= this.mostBytes))
      throw internal(`${bytes} bytes do not fit the memory of the MD5 lanes`);
    try {
      this.runner.reserve(this.dataAt + bytes + MARGIN_BYTES);
    } catch (error) {
      throw internal(`no memory for ${bytes} bytes in the MD5 lanes`, error);
    }
    this.data = Buffer.from(this.kernel.memory.buffer, this.dataAt, bytes);
    return this.data;
  }

  use(data: Buffer): void {
    if (data.buffer !== this.kernel.memory.buffer) throw internal('a frame is not in the memory of the MD5 lanes');
    this.data = data;
    this.dataAt = data.byteOffset;
  }

  hash(starts: Uint32Array, lengths: Uint32Array, count: number, digests: Uint8Array): void {
    this.check(starts, lengths, count, digests);
    const singles = this.schedule.plan(lengths, count);
    for (let i = 0; i < singles; i++) {
      const range = this.schedule.order[i] ?? 0;
      const start = starts[range] ?? 0;
      const digest = hashAlone('md5', this.data.subarray(start, start + (lengths[range] ?? 0)), 'buffer');
      digests.set(digest, range * DIGEST_BYTES);
    }
    const view = new DataView(digests.buffer, digests.byteOffset, digests.length);
    this.run({ starts, lengths, count, digests: view, next: singles });
  }

  private check(starts: Uint32Array, lengths: Uint32Array, count: number, digests: Uint8Array): void {
    if (count > starts.length || count > lengths.length || digests.length < count * DIGEST_BYTES) {
      throw internal(`the tables of the MD5 lanes are too short for ${count} ranges`);
    }
    for (let i = 0; i < count; i++) {
      if ((starts[i] ?? 0) + (lengths[i] ?? 0) > this.data.length)
        throw internal(`range ${i} is outside the MD5 lanes`);
    }
  }

  /** When a lane comes to the end of its blocks, all stop, and it continues with its padding or the next range. */
  private run(batch: Batch): void {
    const { runner } = this;
    this.rangeOf.fill(IDLE);
    this.tailBlocks.fill(0);
    runner.clear();
    do for (let lane = 0; lane < LANES; lane++) if (runner.needsAttention(lane)) this.attend(lane, batch);
    while (runner.step());
  }

  private attend(lane: number, batch: Batch): void {
    if (this.tailBlocks[lane] !== 0) return this.beginTail(lane);
    const done = this.rangeOf[lane] ?? IDLE;
    if (done !== IDLE) this.runner.digest(lane, batch.digests, done * DIGEST_BYTES);
    if (batch.next === batch.count) {
      this.rangeOf[lane] = IDLE;
      return;
    }
    const range = this.schedule.order[batch.next++] ?? 0;
    this.rangeOf[lane] = range;
    this.beginRange(lane, batch.starts[range] ?? 0, batch.lengths[range] ?? 0);
  }

  /** Blocks of the message are read in place; the remainder, with its padding (RFC 1321, 3.1 and 3.2), is built separately. */
  private beginRange(lane: number, start: number, length: number): void {
    const { runner } = this;
    runner.begin(lane);
    const rest = length % BLOCK_BYTES;
    const at = this.dataAt + start;
    const tail = this.kernel.base + TAILS_AT + lane * 2 * BLOCK_BYTES;
    const tailBlocks = rest < BLOCK_BYTES - LENGTH_BYTES ? 1 : 2;
    this.kernel.tail(at + length - rest, rest, tail);
    runner.writeLength(tail + tailBlocks * BLOCK_BYTES - LENGTH_BYTES, length);
    this.tailBlocks[lane] = tailBlocks;
    if (length === rest) this.beginTail(lane);
    else runner.give(lane, at, (length - rest) / BLOCK_BYTES);
  }

  private beginTail(lane: number): void {
    this.runner.give(lane, this.kernel.base + TAILS_AT + lane * 2 * BLOCK_BYTES, this.tailBlocks[lane] ?? 0);
    this.tailBlocks[lane] = 0;
  }
}

const internal = (message: string, cause?: unknown): ArchiverError => new ArchiverError('internal', message, { cause });
