// MD5 of many byte ranges of one buffer at once, several times faster than OpenSSL one after another: MD5 waits for itself within a stream,
// so a core has room for more streams (see md5-kernel.ts). Same digests as `crypto.hash`, for ranges of any length. Each instance has its
// own memory and belongs to one thread. Data is never moved: it must be in that memory.
import { hash as hashAlone } from 'node:crypto';
import { ArchiverError } from '../failures/errors.js';
import { LaneSchedule } from './lane-schedule.js';
import { type Kernel, loadKernel, reserve } from './load-kernel.js';
import { BLOCK_BYTES, DATA_AT, MOST_RANGES, RANGES_AT } from './md5-kernel.js';
import { RANGE_WORDS } from './ranges-code.js';

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
  private dataAt: number;
  private data: Buffer;

  /** The memory cannot grow beyond `mostBytes` of data. */
  constructor(
    private readonly kernel: Kernel,
    private readonly mostBytes = MAX_BYTES,
  ) {
    this.dataAt = kernel.base + DATA_AT;
    this.data = Buffer.from(kernel.memory.buffer, this.dataAt, 0);
  }

  allocate(bytes: number): Buffer {
    if (!(bytes >= 0 && bytes <= this.mostBytes))
      throw internal(`${bytes} bytes do not fit the memory of the MD5 lanes`);
    try {
      reserve(this.kernel, this.dataAt + bytes + MARGIN_BYTES);
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
    this.run({ starts, lengths, count, digests: view }, singles);
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

  /** Through the table, as many at a time as it has room for: sorted by length, they end together. */
  private run(batch: Batch, first: number): void {
    for (let from = first; from < batch.count; from += MOST_RANGES)
      this.runSome(batch, from, Math.min(batch.count, from + MOST_RANGES));
  }

  private runSome({ starts, lengths, digests }: Batch, from: number, to: number): void {
    const { kernel, schedule } = this;
    const { order } = schedule;
    const table = new Uint32Array(kernel.memory.buffer, kernel.base + RANGES_AT, MOST_RANGES * RANGE_WORDS);
    for (let at = 0; at < to - from; at++) {
      const range = order[from + at] ?? 0;
      table[at * RANGE_WORDS] = this.dataAt + (starts[range] ?? 0);
      table[at * RANGE_WORDS + 1] = lengths[range] ?? 0;
    }
    kernel.ranges(to - from);
    for (let at = 0; at < to - from; at++) {
      const to = (order[from + at] ?? 0) * DIGEST_BYTES;
      for (let word = 0; word < 4; word++)
        digests.setUint32(to + word * 4, table[at * RANGE_WORDS + 2 + word] ?? 0, true);
    }
  }
}

const internal = (message: string, cause?: unknown): ArchiverError => new ArchiverError('internal', message, { cause });
