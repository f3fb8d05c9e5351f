// Ranges of keys, in the byte order of UTF-8, which equals the order of code points. Pure.
import { compareBytes } from '../../store/file/file-list.js';

/** Keys after `after`, up to and including `until`; undefined means no bound. */
export interface KeyRange {
  readonly after?: string | undefined;
  readonly until?: string | undefined;
}

const SPACE = 0x20;
/** Most keys are ASCII: without an upper bound, try to stay below this. */
const ASCII_END = 0x7f;
const LAST = 0x10ffff;
const SURROGATES = { from: 0xd800, count: 0x800 };

/** Returns a character about halfway between two code points, equal to neither; undefined when there is none. */
function between(low: number, high: number): string | undefined {
  let middle = (low + high) >>> 1;
  if (middle >= SURROGATES.from && middle < SURROGATES.from + SURROGATES.count)
    middle = high > SURROGATES.from + SURROGATES.count ? SURROGATES.from + SURROGATES.count : SURROGATES.from - 1;
  return middle > low && middle < high ? String.fromCodePoint(middle) : undefined;
}

const endAfter = (low: number): number => (low < ASCII_END - 1 ? ASCII_END : LAST);

/** Returns a string strictly between two keys, near the middle; undefined when none is found. */
export function middleKey(after: string, until: string | undefined): string | undefined {
  const [low, high] = [Array.from(after), until === undefined ? undefined : Array.from(until)];
  let isBounded = high !== undefined;
  let head = '';
  for (let at = 0; at <= low.length; at++) {
    const from = low[at]?.codePointAt(0) ?? SPACE - 1;
    const upper = isBounded ? high?.[at]?.codePointAt(0) : endAfter(from);
    // `until` ends here: no longer key sorts before it.
    if (upper === undefined) return undefined;
    const middle = between(from, upper);
    if (middle !== undefined) return head + middle;
    if (at === low.length) return undefined;
    if (upper > from) isBounded = false;
    head += low[at] ?? '';
  }
  return undefined;
}

/** Returns the ranges between these keys, which together cover all keys. */
export function rangesBetween(keys: readonly string[]): readonly KeyRange[] {
  const points = [...new Set(keys)].sort(compareBytes);
  return [...points, undefined].map((until, index) => ({ after: points[index - 1], until }));
}
