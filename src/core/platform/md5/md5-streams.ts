// MD5 of files that are read piece by piece, eight at once in the lanes of md5-kernel.ts. The states of the lanes stay in the module's
// memory between calls, so a stream that ends makes room for another while the other seven pause: with enough streams every lane is always
// busy. Belongs to one thread.
import { createHash } from 'node:crypto';
import { LaneRunner } from './lane-runner.js';
import { type Kernel, loadKernel } from './load-kernel.js';
import { BLOCK_BYTES, DATA_AT, LANES } from './md5-kernel.js';
import { LENGTH_BYTES } from './md5-rounds.js';

/** Bytes per read: large enough to make the cost of a system call negligible, small enough for all lanes to fit a cache. */
const PIECE_BYTES = 1 << 15;
/** Room for a piece and the padding after the last one (RFC 1321, 3.1 and 3.2). */
const ROOM_BYTES = PIECE_BYTES + 2 * BLOCK_BYTES;

export { LANES as STREAMS_AT_ONCE };

export interface StreamSource {
  readonly sizeBytes: number;
  /** Reads at most `into.length` bytes at `position`; returns 0 at the end. @throws when it cannot */
  read(into: Uint8Array, position: number): number;
  /** Called once with the digest in hex, or the reason why there is none. Must not throw. */
  done(md5: string | undefined, error?: unknown): void;
}

interface Stream {
  readonly source: StreamSource;
  /** Bytes of the source that were read. */
  position: number;
  /** True once the padding is in the lane's room: nothing follows. */
  isPadded: boolean;
}

export interface Md5Streams {
  /** Number of streams that are not done. */
  readonly count: number;
  /** Bytes of all streams that were not read yet. */
  readonly backlogBytes: number;
  /** Adds a stream; it is hashed by `advance`. */
  add(source: StreamSource): void;
  /** Hashes until at most `count` streams and `backlogBytes` bytes are left. */
  advance(count: number, backlogBytes: number): void;
  /** Drops all streams. */
  clear(): void;
}

/** Returns undefined when WebAssembly or its SIMD is missing, or there is no address space: use `crypto.hash` then. */
export function loadMd5Streams(validate?: (bytes: Uint8Array) => boolean): Md5Streams | undefined {
  const kernel = loadKernel(validate);
  return kernel === undefined ? undefined : new Streams(kernel, new LaneRunner(kernel));
}

class Streams implements Md5Streams {
  private readonly waiting: Stream[] = [];
  private readonly lanes: (Stream | undefined)[] = Array.from({ length: LANES }, () => undefined);
  private readonly runner: LaneRunner;
  private readonly digest = Buffer.alloc(16);
  private readonly rooms: readonly Buffer[];
  private active = 0;
  backlogBytes = 0;

  constructor({ memory }: Kernel, runner: LaneRunner) {
    this.runner = runner;
    runner.reserve(DATA_AT + LANES * ROOM_BYTES);
    this.rooms = Array.from({ length: LANES }, (_, lane) => Buffer.from(memory.buffer, roomAt(lane), ROOM_BYTES));
  }

  get count(): number {
    return this.waiting.length + this.active;
  }

  add(source: StreamSource): void {
    this.waiting.push({ source, position: 0, isPadded: false });
    this.backlogBytes += source.sizeBytes;
  }

  advance(count: number, backlogBytes: number): void {
    while (this.count > 0 && (this.count > count || this.backlogBytes > backlogBytes)) {
      const [first] = this.waiting;
      // A single stream in eight lanes is slower than OpenSSL.
      if (this.count === 1 && first !== undefined) this.hashAlone(first);
      else this.step();
    }
  }

  clear(): void {
    this.waiting.length = 0;
    this.lanes.fill(undefined);
    this.runner.clear();
    this.active = 0;
    this.backlogBytes = 0;
  }

  private step(): void {
    const { lanes, runner } = this;
    for (let lane = 0; lane < LANES; lane++) if (runner.needsAttention(lane)) this.attend(lane);
    runner.step();
    for (let lane = 0; lane < LANES; lane++)
      if (lanes[lane]?.isPadded === true && runner.needsAttention(lane)) this.finish(lane, this.digestOf(lane));
  }

  /** Gives a lane its next blocks: from its stream, or from the next stream that can be read. */
  private attend(lane: number): void {
    for (;;) {
      const stream = this.lanes[lane] ?? this.begin(lane);
      if (stream === undefined) return;
      try {
        this.runner.give(lane, roomAt(lane), this.fill(lane, stream));
        return;
      } catch (error) {
        this.finish(lane, undefined, error);
      }
    }
  }

  private begin(lane: number): Stream | undefined {
    const stream = this.waiting.shift();
    if (stream === undefined) return undefined;
    this.runner.begin(lane);
    this.lanes[lane] = stream;
    this.active++;
    return stream;
  }

  /** Reads the next piece, and writes the padding after the last one. @returns the blocks to hash */
  private fill(lane: number, stream: Stream): number {
    const room = this.rooms[lane] ?? Buffer.alloc(0);
    const { sizeBytes } = stream.source;
    const wanted = Math.min(PIECE_BYTES, sizeBytes - stream.position);
    for (let at = 0; at < wanted;) at += this.read(stream, room.subarray(at, wanted));
    // A whole piece is a multiple of the block size; its padding would be a piece of its own.
    if (wanted === PIECE_BYTES) return PIECE_BYTES / BLOCK_BYTES;
    stream.isPadded = true;
    const blocks = pad(room, wanted);
    this.runner.writeLength(roomAt(lane) + blocks * BLOCK_BYTES - LENGTH_BYTES, sizeBytes);
    return blocks;
  }

  private read(stream: Stream, into: Uint8Array): number {
    const count = stream.source.read(into, stream.position);
    if (count <= 0) throw new Error(`it ends after ${stream.position} of ${stream.source.sizeBytes} bytes`);
    stream.position += count;
    this.backlogBytes -= count;
    return count;
  }

  private digestOf(lane: number): string {
    const { digest } = this;
    this.runner.digest(lane, new DataView(digest.buffer, digest.byteOffset, digest.length), 0);
    return digest.toString('hex');
  }

  private finish(lane: number, md5: string | undefined, error?: unknown): void {
    const stream = this.lanes[lane];
    this.lanes[lane] = undefined;
    this.active--;
    if (stream !== undefined) this.settle(stream, md5, error);
  }

  private settle({ source, position }: Stream, md5: string | undefined, error: unknown): void {
    this.backlogBytes -= source.sizeBytes - position;
    source.done(md5, error);
  }

  private hashAlone(stream: Stream): void {
    this.waiting.length = 0;
    const md5 = createHash('md5');
    const room = this.rooms[0]?.subarray(0, PIECE_BYTES) ?? Buffer.alloc(0);
    try {
      while (stream.position < stream.source.sizeBytes) {
        const wanted = Math.min(PIECE_BYTES, stream.source.sizeBytes - stream.position);
        md5.update(room.subarray(0, this.read(stream, room.subarray(0, wanted))));
      }
    } catch (error) {
      this.settle(stream, undefined, error);
      return;
    }
    this.settle(stream, md5.digest('hex'), undefined);
  }
}

const roomAt = (lane: number): number => DATA_AT + lane * ROOM_BYTES;

/**
 * Begins the padding of a message whose last `count` bytes are at the beginning of `room`; the length is added later. @returns the blocks
 * including padding
 */
function pad(room: Buffer, count: number): number {
  const blocks = Math.ceil((count + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  room[count] = 0x80;
  room.fill(0, count + 1, blocks * BLOCK_BYTES - LENGTH_BYTES);
  return blocks;
}
