// Which chunks a deep check reads.
import type { Part } from '../../platform/part.js';

/** Picks a random `share` of the chunks, at least one where there are any, in ascending order. */
export function sampleChunks(chunks: readonly number[], share: number, random: () => number): number[] {
  if (share >= 1) return [...chunks];
  const count = Math.min(chunks.length, Math.max(1, Math.round(chunks.length * share)));
  const pool = [...chunks];
  const taken: number[] = [];
  while (taken.length < count)
    taken.push(...pool.splice(Math.min(pool.length - 1, Math.floor(random() * pool.length)), 1));
  return taken.sort((a, b) => a - b);
}

/**
 * Returns the chunks of a part, in their order. The parts of as many calls have every chunk once, and about as many stored bytes each;
 * the same upload has the same parts at any time.
 */
export function chunksOfPart(
  chunks: readonly number[],
  { number, of }: Part,
  sizeOf: (chunk: number) => number,
): number[] {
  const total = chunks.reduce((sum, chunk) => sum + sizeOf(chunk), 0);
  let before = 0;
  return chunks.filter((chunk) => {
    const size = sizeOf(chunk);
    const middle = before + size / 2;
    before += size;
    return Math.min(of, Math.floor((middle / total) * of) + 1) === number;
  });
}
