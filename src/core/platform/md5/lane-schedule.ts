// Decides in which order ranges go through the lanes and which should not. Longest first (LPT, Graham 1969): a long range that starts last
// would keep one lane busy while the others are idle. If one range is longer than the fair share of a lane, idle lanes cannot be avoided,
// and OpenSSL, which is faster for one stream, may hash it instead.
import { BLOCK_BYTES, LANES } from './md5-kernel.js';

/**
 * Cost of one block in all lanes, in OpenSSL blocks: 128 ns compared with 86 ns on one core of an AMD EPYC (Zen 4), Node 20
 * (bench/md5.mjs). With this number of busy lanes both are equally fast.
 */
const PASS_COST = 1.5;
/** Overhead of a `crypto.hash` call in the same unit (450 ns). */
const CALL_COST = 5;

/** Number of classes between two powers of two; lengths have at most 26 bits in blocks, and those of up to four bits have a class each. */
const CLASSES_OF_POWER = 16;
const CLASSES = (26 - 3) * CLASSES_OF_POWER;

/** Returns the blocks of a message with its padding: a bit, zeros, and eight bytes of length. */
export const blocksOf = (lengthBytes: number): number => Math.ceil((lengthBytes + 9) / BLOCK_BYTES);

export class LaneSchedule {
  /** Indices of the ranges, longest first (to within a sixteenth). */
  order = new Uint32Array(0);
  private readonly ends = new Uint32Array(CLASSES);

  /** Sorts the ranges into `order`. @returns how many at its beginning are cheaper outside the lanes */
  plan(lengths: Uint32Array, count: number): number {
    this.sort(lengths, count);
    return this.countSingles(lengths, count);
  }

  /** Counting sort by class of length; a comparison sort would cost more than hashing the smallest ranges. */
  private sort(lengths: Uint32Array, count: number): void {
    const { ends } = this;
    if (this.order.length < count) this.order = new Uint32Array(Math.max(count, 2 * this.order.length));
    ends.fill(0);
    for (let i = 0; i < count; i++) {
      const c = classOf(lengths[i] ?? 0);
      ends[c] = (ends[c] ?? 0) + 1;
    }
    let before = 0;
    for (let c = CLASSES - 1; c >= 0; c--) {
      before += ends[c] ?? 0;
      ends[c] = before;
    }
    for (let i = 0; i < count; i++) {
      const c = classOf(lengths[i] ?? 0);
      const place = (ends[c] ?? 0) - 1;
      ends[c] = place;
      this.order[place] = i;
    }
  }

  /** Finds the cheapest number of single ranges. Lanes take as long as the longest range or, if that is more, their fair share of all. */
  private countSingles(lengths: Uint32Array, count: number): number {
    let left = 0;
    for (let i = 0; i < count; i++) left += blocksOf(lengths[i] ?? 0);
    let best = 0;
    let bestCost = Infinity;
    let singleCost = 0;
    for (let singles = 0; singles <= count; singles++) {
      const longest = singles === count ? 0 : blocksOf(lengths[this.order[singles] ?? 0] ?? 0);
      const cost = singleCost + PASS_COST * Math.max(longest, left / LANES);
      if (cost < bestCost) {
        best = singles;
        bestCost = cost;
      }
      // From here on all lanes stay busy to the end, and are cheaper for everything.
      if (longest * LANES <= left) break;
      singleCost += longest + CALL_COST;
      left -= longest;
    }
    return best;
  }
}

/** Returns the number of blocks as a floating-point number with a mantissa of four bits: lengths in one class differ by a sixteenth. */
function classOf(lengthBytes: number): number {
  const blocks = lengthBytes >>> 6;
  if (blocks < CLASSES_OF_POWER) return blocks;
  const shift = 27 - Math.clz32(blocks);
  return (shift + 1) * CLASSES_OF_POWER + ((blocks >>> shift) & (CLASSES_OF_POWER - 1));
}
