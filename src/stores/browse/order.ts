// Sorts files by size or date. A million of them are sorted by radix, in steps between which keys are handled; equal files stay in path
// order.
import type { Listing } from '../../core/restore/listing/listing.js';

export const SORTS = ['name', 'size', 'date'] as const;
/** `size` shows the largest first, `date` the newest. */
export type Sort = (typeof SORTS)[number];

/** Files in an order other than that of their paths. */
export interface Order {
  readonly of: Listing;
  readonly sort: Sort;
  readonly files: Uint32Array;
  /** Position in `files` of each entry of the listing; meaningless for folders. */
  readonly ranks: Uint32Array;
}

/** Number of files between two looks at the clock. */
const STRIDE = 65_536;
const DIGIT = 2048;

/** Sorts files; yields from time to time. */
export function* orderFiles(listing: Listing, files: Uint32Array, sort: Sort): Generator<undefined, Order> {
  const value = (index: number): number =>
    sort === 'size' ? listing.sizeBytes(index) : sort === 'date' ? listing.mtime(index).seconds : -index;
  let highest = -Infinity;
  let lowest = Infinity;
  for (const index of files) {
    highest = Math.max(highest, value(index));
    lowest = Math.min(lowest, value(index));
  }
  let from = files;
  for (let unit = 1; unit <= highest - lowest; unit *= DIGIT) {
    const digit = (index: number): number => Math.floor((highest - value(index)) / unit) % DIGIT;
    from = yield* sortByDigit(from, digit);
  }
  const ranks = new Uint32Array(listing.count);
  for (let rank = 0; rank < from.length; rank++) ranks[from[rank] ?? 0] = rank;
  return { of: listing, sort, files: from, ranks };
}

function* sortByDigit(from: Uint32Array, digit: (index: number) => number): Generator<undefined, Uint32Array> {
  const next = new Uint32Array(DIGIT + 1);
  for (let at = 0; at < from.length; at++) {
    const above = digit(from[at] ?? 0) + 1;
    next[above] = (next[above] ?? 0) + 1;
    if (at % STRIDE === STRIDE - 1) yield;
  }
  for (let at = 1; at <= DIGIT; at++) next[at] = (next[at] ?? 0) + (next[at - 1] ?? 0);
  const to = new Uint32Array(from.length);
  for (let at = 0; at < from.length; at++) {
    const index = from[at] ?? 0;
    const of = digit(index);
    const place = next[of] ?? 0;
    to[place] = index;
    next[of] = place + 1;
    if (at % STRIDE === STRIDE - 1) yield;
  }
  return to;
}

/** Sorts some of the files in this order. */
export function sortFiles({ files, ranks }: Order, some: Uint32Array): Uint32Array {
  if (some.length === files.length) return files;
  const isWanted = new Uint8Array(ranks.length);
  for (const index of some) isWanted[index] = 1;
  return files.filter((index) => isWanted[index] === 1);
}
