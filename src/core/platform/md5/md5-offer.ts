// What a thread lets others hash for it: blocks in memory that all of them share, and the state of their MD5. Whoever takes an offer has it for
// itself until it gives it back; its owner waits for that. Belongs to one thread, as the owner or as a taker.
import { ArchiverError } from '../failures/errors.js';
import { OFFER_AT } from './md5-kernel.js';

const NONE = 0;
const OFFERED = 1;
const TAKEN = 2;

/** Places of the numbers of an offer; those of the state follow. */
const STATUS = 0;
const FROM = 1;
const BLOCKS = 2;
const STATE = 3;

/**
 * A step of a taker takes a millisecond or two. One that does not end has lost its thread, and with it the upload. Counted in short waits: a
 * process that is stopped (Ctrl+Z, a laptop that sleeps) loses one of them, however long it was away.
 */
const WAIT_MS = 500;
const PATIENCE_WAITS = 120;

export class Md5Offer {
  private readonly words: Int32Array;

  /** `base`: where the layout of its owner's kernel begins. */
  constructor(memory: ArrayBufferLike, base: number) {
    this.words = new Int32Array(memory, base + OFFER_AT, STATE + 4);
  }

  /** Address of the first block that is left. Like all that follows, only for who has the offer. */
  get from(): number {
    return (this.words[FROM] ?? 0) >>> 0;
  }

  get blocks(): number {
    return this.words[BLOCKS] ?? 0;
  }

  /** The words A, B, C and D after the blocks before. */
  get state(): Int32Array {
    return this.words.subarray(STATE, STATE + 4);
  }

  set(from: number, blocks: number): void {
    this.words[FROM] = from;
    this.words[BLOCKS] = blocks;
  }

  /** Offers what was set. */
  open(): void {
    Atomics.store(this.words, STATUS, OFFERED);
  }

  /** Takes what another thread offers; false when there is nothing. */
  take(): boolean {
    return Atomics.compareExchange(this.words, STATUS, OFFERED, TAKEN) === OFFERED;
  }

  /** Gives back what was taken. */
  giveBack(): void {
    Atomics.store(this.words, STATUS, OFFERED);
    Atomics.notify(this.words, STATUS);
  }

  /** Ends the own offer, as soon as nobody has it. @throws internal when that takes too long */
  close(patienceWaits = PATIENCE_WAITS): void {
    for (let waits = 0; Atomics.compareExchange(this.words, STATUS, OFFERED, NONE) === TAKEN;) {
      if (Atomics.wait(this.words, STATUS, TAKEN, WAIT_MS) === 'timed-out' && ++waits >= patienceWaits)
        throw new ArchiverError('internal', 'a thread does not give back what it hashes for another');
    }
  }
}
