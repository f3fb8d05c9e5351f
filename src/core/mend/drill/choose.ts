// Which contents a drill restores: those that failed before, then those that no drill has proven within the days, at random, then those that
// were proven longest ago. So drills that are large enough go round in those days. Pure.
import type { Candidate } from './candidates.js';
import type { Proven } from './proven.js';

/** How much a drill restores: at least this many contents, or this share of the bytes of all. */
export type Amount = { readonly files: number } | { readonly share: number };

/** Chooses contents, at least one where any can be proven; `random` returns a number from 0 to 1. */
export function chooseContents(
  contents: readonly Candidate[],
  amount: Amount,
  { at, wrong }: Proven,
  random: () => number,
): readonly Candidate[] {
  const ranked = contents
    .filter(({ hindrance }) => hindrance === undefined)
    .map((content) => ({ content, rank: wrong.has(content.place) ? -1 : (at.get(content.place) ?? 0), tie: random() }))
    .toSorted((a, b) => a.rank - b.rank || a.tie - b.tie);
  const total = contents.reduce((sum, { bytes }) => sum + bytes, 0);
  const chosen: Candidate[] = [];
  let bytes = 0;
  for (const { content } of ranked) {
    const isEnough = 'files' in amount ? chosen.length >= amount.files : bytes >= total * amount.share;
    if (isEnough && chosen.length > 0) break;
    chosen.push(content);
    bytes += content.bytes;
  }
  return chosen;
}
