// A hash table of positions, with linear probing. Callers compare what lies at a position.
const FREE = 0xff_ff_ff_ff;

export class PlaceIndex {
  private readonly slots: Uint32Array;

  /** Makes an index for at most `count` positions. */
  constructor(count: number) {
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(count * 2 + 2))).fill(FREE);
  }

  /** Adds a position unless `isSame` says so of one that is there. */
  add(hash: number, position: number, isSame: (other: number) => boolean): void {
    const slot = this.search(hash, isSame);
    if (this.slots[slot] === FREE) this.slots[slot] = position;
  }

  /** Returns the first candidate with this hash of which `isIt` is true; a few with other hashes may be asked, too. */
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
