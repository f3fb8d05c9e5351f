// MD5 of messages whose bytes come frame by frame, in threads that share the memory of their frames. What is in a full frame is offered to the
// other threads while this one compresses it: one that comes to hash a frame of its own meanwhile hashes both side by side (chain-code.ts),
// almost twice as fast as one after the other. Nothing is moved, and nothing is kept longer than without.
import { ArchiverError } from '../failures/errors.js';
import { writeLength } from './lane-runner.js';
import type { Kernel } from './load-kernel.js';
import { BLOCK_BYTES, CHAIN_PLACES, REST_AT } from './md5-kernel.js';
import { Md5Offer } from './md5-offer.js';
import { INITIAL_STATE, LENGTH_BYTES } from './md5-rounds.js';

/** Blocks in one step: as long may the owner of an offer have to wait; and the engine replaces slow code of a function between calls only. */
const STEP_BLOCKS = (1 << 20) / BLOCK_BYTES;
/** Less is hashed sooner than somebody comes for it. */
const LEAST_OFFER_BLOCKS = (1 << 16) / BLOCK_BYTES;
const STATE_WORDS = 4;
const [OWN, OTHER] = CHAIN_PLACES;

export interface Md5Message {
  /** Adds bytes, which lie in the shared memory and must stay as they are until `settle` or `digest`. @throws internal */
  update(bytes: Uint8Array): void;
  /** Ends the message. @throws internal when another one has begun */
  digest(): Buffer;
}

export class Md5Chain {
  private readonly memory: Buffer;
  private readonly view: DataView;
  private readonly restAt: number;
  private readonly offered: Md5Offer;
  private readonly others: readonly Md5Offer[];
  private isOffered = false;
  private message: Md5Message | undefined;
  private totalBytes = 0;
  /** What waits: `count` bytes at `from`. */
  private from = 0;
  private count = 0;
  /** Bytes at `restAt` that do not make a block yet. */
  private rest = 0;

  /** `others`: where the layouts of the kernels of the other threads begin. */
  constructor(
    private readonly kernel: Kernel,
    others: readonly number[],
  ) {
    const { buffer } = kernel.memory;
    this.memory = Buffer.from(buffer);
    this.view = new DataView(buffer);
    this.restAt = kernel.base + REST_AT;
    this.offered = new Md5Offer(buffer, kernel.base);
    this.others = others.map((base) => new Md5Offer(buffer, base));
  }

  /** Begins a message; one that was begun before is dropped. */
  begin(): Md5Message {
    this.takeBack();
    this.totalBytes = this.count = this.rest = 0;
    this.writeState(OWN.stateAt, INITIAL_STATE);
    const message: Md5Message = {
      update: (bytes) => {
        this.check(message);
        this.add(bytes);
      },
      digest: () => {
        this.check(message);
        this.message = undefined;
        return this.finish();
      },
    };
    this.message = message;
    return message;
  }

  /** Hashes what waits beside what others offer, and offers them what is left. Its memory may be read until `settle`, and not written to. */
  offer(): void {
    this.fillRest();
    this.hashBeside();
    const blocks = this.blocks();
    if (this.message === undefined || blocks < LEAST_OFFER_BLOCKS) return;
    this.offered.set(this.from, blocks);
    this.readState(OWN.stateAt, this.offered.state);
    this.offered.open();
    this.isOffered = true;
  }

  /** Hashes all that waits: call it before the memory of what was added is written to. */
  settle(): void {
    this.takeBack();
    this.fillRest();
    this.hashBeside();
    const blocks = this.blocks();
    if (blocks > 0) this.hash(blocks, this.from, (count) => this.kernel.alone(count));
    this.skip(blocks * BLOCK_BYTES);
    this.memory.copyWithin(this.restAt + this.rest, this.from, this.from + this.count);
    this.rest += this.count;
    this.count = 0;
  }

  private check(message: Md5Message): void {
    if (this.message !== message) throw internal('another message has begun in this MD5 chain');
  }

  private add(bytes: Uint8Array): void {
    if (bytes.buffer !== this.memory.buffer) throw internal('bytes for an MD5 chain are not in its memory');
    if (this.isOffered || (this.count > 0 && this.from + this.count !== bytes.byteOffset)) this.settle();
    if (this.count === 0) this.from = bytes.byteOffset;
    this.count += bytes.length;
    this.totalBytes += bytes.length;
  }

  private takeBack(): void {
    if (!this.isOffered) return;
    const { offered } = this;
    offered.close();
    this.isOffered = false;
    this.skip(offered.from - this.from);
    this.writeState(OWN.stateAt, offered.state);
  }

  private finish(): Buffer {
    this.settle();
    const { memory, restAt, rest } = this;
    const blocks = rest < BLOCK_BYTES - LENGTH_BYTES ? 1 : 2;
    const lengthAt = restAt + blocks * BLOCK_BYTES - LENGTH_BYTES;
    memory[restAt + rest] = 0x80;
    memory.fill(0, restAt + rest + 1, lengthAt);
    writeLength(this.view, lengthAt, this.totalBytes);
    this.hash(blocks, restAt, (count) => this.kernel.alone(count));
    this.rest = 0;
    const at = this.kernel.base + OWN.stateAt;
    return Buffer.from(memory.subarray(at, at + STATE_WORDS * 4));
  }

  /** Makes a block of the rest with the first bytes that wait, so that what follows them can be hashed where it lies. */
  private fillRest(): void {
    if (this.rest === 0 || this.count === 0) return;
    const bytes = Math.min(BLOCK_BYTES - this.rest, this.count);
    this.memory.copyWithin(this.restAt + this.rest, this.from, this.from + bytes);
    this.rest += bytes;
    this.skip(bytes);
    if (this.rest < BLOCK_BYTES) return;
    this.hash(1, this.restAt, (count) => this.kernel.alone(count));
    this.rest = 0;
  }

  /** Hashes what waits beside what others offer, as long as there is both. */
  private hashBeside(): void {
    for (const other of this.others) {
      while (this.blocks() > 0 && other.take()) {
        const blocks = Math.min(this.blocks(), other.blocks, STEP_BLOCKS);
        if (blocks > 0) this.hashBoth(blocks, other);
        other.giveBack();
        if (blocks === 0) break;
      }
    }
  }

  private hashBoth(blocks: number, other: Md5Offer): void {
    this.writeState(OTHER.stateAt, other.state);
    this.view.setUint32(this.kernel.base + OTHER.pointerAt, other.from, true);
    this.hash(blocks, this.from, (count) => this.kernel.both(count));
    this.readState(OTHER.stateAt, other.state);
    other.set(other.from + blocks * BLOCK_BYTES, other.blocks - blocks);
    this.skip(blocks * BLOCK_BYTES);
  }

  private hash(blocks: number, from: number, hash: (blocks: number) => void): void {
    this.view.setUint32(this.kernel.base + OWN.pointerAt, from, true);
    for (let left = blocks; left > 0; left -= STEP_BLOCKS) hash(Math.min(left, STEP_BLOCKS));
  }

  private blocks(): number {
    return Math.floor(this.count / BLOCK_BYTES);
  }

  private skip(bytes: number): void {
    this.from += bytes;
    this.count -= bytes;
  }

  private writeState(at: number, words: ArrayLike<number>): void {
    for (let word = 0; word < STATE_WORDS; word++)
      this.view.setUint32(this.kernel.base + at + word * 4, words[word] ?? 0, true);
  }

  private readState(at: number, words: Int32Array): void {
    for (let word = 0; word < STATE_WORDS; word++)
      words[word] = this.view.getInt32(this.kernel.base + at + word * 4, true);
  }
}

const internal = (message: string): ArchiverError => new ArchiverError('internal', message);
