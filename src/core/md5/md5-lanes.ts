// MD5 of many byte ranges of one buffer at once, several times faster than OpenSSL one after another: MD5 waits for
// itself within a stream, so a core has room for more streams (see md5-kernel.ts). Same digests as `crypto.hash`, for
// ranges of any length. Each instance has a memory of its own and belongs to one thread. It never moves data: what is
// to be hashed must be in its memory.
import { hash as hashAlone } from 'node:crypto';
import { ArchiverError } from '../failures/errors.js';
import { LaneSchedule } from './lane-schedule.js';
import { type Kernel, loadKernel } from './load-kernel.js';
import { BLOCK_BYTES, DATA_AT, INITIAL_STATE, LANES, POINTERS_AT, stateAddress, TAILS_AT } from './md5-kernel.js';

const DIGEST_BYTES = 16;
const PAGE_BYTES = 1 << 16;
/** A message's last block is loaded whole, past its end. */
const MARGIN_BYTES = BLOCK_BYTES;
/**
 * Longer ranges gain little and had better be hashed where they are read: in a buffer of 4 MiB, eight ranges of
 * 512 KiB are hashed 5 times as fast as by `crypto.hash`, four of 1 MiB 2.7 times, two of 2 MiB 1.3 times
 * (bench/md5.mjs). `hash` is correct, and no slower than `crypto.hash`, for longer ones too.
 */
export const LANE_LIMIT_BYTES = 1 << 20;

/** What 32-bit addresses reach, less what the kernel needs. */
const MAX_BYTES = 2 ** 32 - DATA_AT - MARGIN_BYTES;
const IDLE = -1;

export interface Md5Lanes {
  /**
   * `bytes` of the module's memory, always the same ones: to ask for more keeps what is there, so a full Buffer is
   * made larger without a copy. Buffers from earlier calls become empty (length 0) when the memory has to grow.
   * @throws internal above 4 GiB, or when the system has no memory
   */
  allocate(bytes: number): Buffer<ArrayBuffer>;
  /**
   * MD5 of `count` ranges `[starts[i], starts[i] + lengths[i])` of the allocated bytes, into `digests` at `i * 16`.
   * Ranges may overlap, be empty and come in any order. @throws internal for a range outside
   */
  hash(starts: Uint32Array, lengths: Uint32Array, count: number, digests: Uint8Array): void;
}

interface Batch {
  readonly starts: Uint32Array;
  readonly lengths: Uint32Array;
  readonly count: number;
  readonly digests: DataView;
  /** How far the schedule's order has been given to lanes. */
  next: number;
}

/** Undefined where WebAssembly or its SIMD is missing, or there is no address space: callers use `crypto.hash`. */
export function loadMd5Lanes(validate?: (bytes: Uint8Array) => boolean): Md5Lanes | undefined {
  const kernel = loadKernel(validate);
  return kernel === undefined ? undefined : new Lanes(kernel);
}

class Lanes implements Md5Lanes {
  private readonly schedule = new LaneSchedule();
  private view: DataView;
  private data: Buffer<ArrayBuffer>;
  /** Of each lane: the range in it, blocks until it needs attention, and blocks of padding that follow those. */
  private readonly rangeOf = new Int32Array(LANES);
  private readonly blocksLeft = new Uint32Array(LANES);
  private readonly tailBlocks = new Uint32Array(LANES);

  constructor(private readonly kernel: Kernel) {
    this.view = new DataView(kernel.memory.buffer);
    this.data = Buffer.from(kernel.memory.buffer, DATA_AT, 0);
  }

  allocate(bytes: number): Buffer<ArrayBuffer> {
    if (!(bytes >= 0 && bytes <= MAX_BYTES)) throw internal(`${bytes} bytes do not fit the memory of the MD5 lanes`);
    const { memory } = this.kernel;
    const missing = DATA_AT + bytes + MARGIN_BYTES - memory.buffer.byteLength;
    try {
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    } catch (error) {
      throw internal(`no memory for ${bytes} bytes in the MD5 lanes`, error);
    }
    this.view = new DataView(memory.buffer);
    this.data = Buffer.from(memory.buffer, DATA_AT, bytes);
    return this.data;
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

  /** Whenever a lane comes to the end of its blocks, all stop, and it goes on with its padding or the next range. */
  private run(batch: Batch): void {
    const { blocksLeft, rangeOf } = this;
    rangeOf.fill(IDLE);
    blocksLeft.fill(0);
    this.tailBlocks.fill(0);
    for (;;) {
      let blocks = Infinity;
      for (let lane = 0; lane < LANES; lane++) {
        if (blocksLeft[lane] === 0) this.attend(lane, batch);
        // An idle lane runs along at address 0: the memory is longer than any range.
        if (rangeOf[lane] === IDLE) this.view.setUint32(POINTERS_AT + lane * 4, 0, true);
        else blocks = Math.min(blocks, blocksLeft[lane] ?? 0);
      }
      if (blocks === Infinity) return;
      this.kernel.compress(blocks);
      for (let lane = 0; lane < LANES; lane++) {
        if (rangeOf[lane] !== IDLE) blocksLeft[lane] = (blocksLeft[lane] ?? 0) - blocks;
      }
    }
  }

  private attend(lane: number, batch: Batch): void {
    if (this.tailBlocks[lane] !== 0) return this.beginTail(lane);
    const done = this.rangeOf[lane] ?? IDLE;
    if (done !== IDLE) this.writeDigest(lane, batch.digests, done * DIGEST_BYTES);
    if (batch.next === batch.count) {
      this.rangeOf[lane] = IDLE;
      return;
    }
    const range = this.schedule.order[batch.next++] ?? 0;
    this.rangeOf[lane] = range;
    this.beginRange(lane, batch.starts[range] ?? 0, batch.lengths[range] ?? 0);
  }

  /** Message blocks are read where they are; the rest, with its padding (RFC 1321, 3.1 and 3.2), is built aside. */
  private beginRange(lane: number, start: number, length: number): void {
    const { view } = this;
    for (let word = 0; word < 4; word++) view.setUint32(stateAddress(lane, word), INITIAL_STATE[word] ?? 0, true);
    const rest = length % BLOCK_BYTES;
    const at = DATA_AT + start;
    const tail = TAILS_AT + lane * 2 * BLOCK_BYTES;
    const tailBlocks = rest < BLOCK_BYTES - 8 ? 1 : 2;
    this.kernel.tail(at + length - rest, rest, tail);
    const lengthAt = tail + tailBlocks * BLOCK_BYTES - 8;
    view.setUint32(lengthAt, length << 3, true);
    view.setUint32(lengthAt + 4, length >>> 29, true);
    view.setUint32(POINTERS_AT + lane * 4, at, true);
    this.blocksLeft[lane] = (length - rest) / BLOCK_BYTES;
    this.tailBlocks[lane] = tailBlocks;
    if (length === rest) this.beginTail(lane);
  }

  private beginTail(lane: number): void {
    this.view.setUint32(POINTERS_AT + lane * 4, TAILS_AT + lane * 2 * BLOCK_BYTES, true);
    this.blocksLeft[lane] = this.tailBlocks[lane] ?? 0;
    this.tailBlocks[lane] = 0;
  }

  private writeDigest(lane: number, digests: DataView, at: number): void {
    for (let word = 0; word < 4; word++) {
      digests.setUint32(at + word * 4, this.view.getUint32(stateAddress(lane, word), true), true);
    }
  }
}

const internal = (message: string, cause?: unknown): ArchiverError => new ArchiverError('internal', message, { cause });
