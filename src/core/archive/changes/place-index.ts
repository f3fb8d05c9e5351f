// Positions by a hash of what is at them, in the first free slot from the one that the hash says. Who asks compares.
const FREE = 0xff_ff_ff_ff;

export class PlaceIndex {
  private readonly slots: Uint32Array;

  /** For at most `count` positions. */
  constructor(count: number) {
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2 + 2))).fill(FREE);
  }

  /** Adds a position unless one of those with this hash is said to be the same. */
  add(hash: number, position: number, isSame: (other: number) => boolean): void {
    const slot = this.search(hash, isSame);
    if (this.slots[slot] === FREE) this.slots[slot] = position;
  }

  /** The first position, of those with this hash and a few more, that is said to be the one. */
  find(hash: number, isIt: (position: number) => boolean): number | undefined {
    const position = this.slots[this.search(hash, isIt)] ?? FREE;
    return position === FREE ? undefined : position;
  }

  private search(hash: number, isIt: (position: number) => boolean): number {
    const { slots } = this;
    const mask = slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const position = slots[slot] ?? FREE;
      if (position === FREE || isIt(position)) return slot;
    }
  }
}
