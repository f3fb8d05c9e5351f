// The lanes of the MD5 kernel, for a user who gives each of them its blocks: how many are left and where they are, and the states, which stay in
// the module's memory between calls.
import { type Kernel, reserve } from './load-kernel.js';
import { LANES, POINTERS_AT, stateAddress } from './md5-kernel.js';
import { INITIAL_STATE } from './md5-rounds.js';

export class LaneRunner {
  /** Blocks until a lane needs attention; 0 for an idle lane. */
  private readonly blocksLeft = new Uint32Array(LANES);
  private view: DataView;

  constructor(private readonly kernel: Kernel) {
    this.view = new DataView(kernel.memory.buffer);
  }

  /** Address of what the layout has at `offset`. */
  private at(offset: number): number {
    return this.kernel.base + offset;
  }

  /** Grows the memory as `reserve` does, and writes to the new one. @throws RangeError */
  reserve(bytes: number): void {
    reserve(this.kernel, bytes);
    this.view = new DataView(this.kernel.memory.buffer);
  }

  /** Makes all lanes idle. */
  clear(): void {
    this.blocksLeft.fill(0);
  }

  needsAttention(lane: number): boolean {
    return this.blocksLeft[lane] === 0;
  }

  /** Begins a new message in the lane. */
  begin(lane: number): void {
    for (let word = 0; word < 4; word++)
      this.view.setUint32(this.at(stateAddress(lane, word)), INITIAL_STATE[word] ?? 0, true);
  }

  /** Sets the address and number of the next blocks of a lane's message. */
  give(lane: number, address: number, blocks: number): void {
    this.view.setUint32(this.at(POINTERS_AT + lane * 4), address, true);
    this.blocksLeft[lane] = blocks;
  }

  /** Writes the length of a message into its padding. */
  writeLength(address: number, lengthBytes: number): void {
    writeLength(this.view, address, lengthBytes);
  }

  /** Hashes as many blocks in every lane as the lane with the fewest has. Returns false when all are idle. */
  step(): boolean {
    const { blocksLeft } = this;
    let blocks = Infinity;
    for (let lane = 0; lane < LANES; lane++) {
      const left = blocksLeft[lane] ?? 0;
      // An idle lane runs along at address 0: the memory is longer than any range.
      if (left === 0) this.view.setUint32(this.at(POINTERS_AT + lane * 4), 0, true);
      else if (left < blocks) blocks = left;
    }
    if (blocks === Infinity) return false;
    this.kernel.compress(blocks);
    for (let lane = 0; lane < LANES; lane++) {
      const left = blocksLeft[lane] ?? 0;
      if (left !== 0) blocksLeft[lane] = left - blocks;
    }
    return true;
  }

  /** Writes the digest of the lane's message, after its last block. */
  digest(lane: number, into: DataView, at: number): void {
    for (let word = 0; word < 4; word++)
      into.setUint32(at + word * 4, this.view.getUint32(this.at(stateAddress(lane, word)), true), true);
  }
}

/** Writes the length of a message in bits, which exceeds 32 bits from 512 MiB on. */
export function writeLength(view: DataView, address: number, lengthBytes: number): void {
  view.setUint32(address, lengthBytes << 3, true);
  view.setUint32(address + 4, Math.floor(lengthBytes / 2 ** 29), true);
}
