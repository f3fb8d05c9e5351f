// What the 64 steps of MD5 consist of (RFC 1321, 3.3 and 3.4), for the code that is generated of them.

/** Size of the message length at the end of its padding (3.2). */
export const LENGTH_BYTES = 8;
/** A, B, C, D before the first block. */
export const INITIAL_STATE = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const;

const ROTATIONS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
/** Word k of the block in step i is `(FACTOR * i + OFFSET) mod 16`, by round. */
const WORD_FACTOR = [1, 5, 3, 7] as const;
const WORD_OFFSET = [0, 1, 5, 0] as const;

/** Number of the word of the block that a step adds. */
export function wordOf(step: number): number {
  const round = step >> 4;
  return ((WORD_FACTOR[round] ?? 0) * step + (WORD_OFFSET[round] ?? 0)) & 15;
}

export const rotationOf = (step: number): number => ROTATIONS[step >> 4]?.[step & 3] ?? 0;

/**
 * The constant T[i] that a step adds. Those of the last round are one less, since `I = y ^ (x | ~z) = ~(y ^ (z & ~x))`, and adding ~v is
 * subtracting v + 1.
 */
export function constantOf(step: number): number {
  const sine = Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32);
  return step < 48 ? sine : sine - 1;
}
