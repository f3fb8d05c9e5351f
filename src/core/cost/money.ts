// Amounts of money. Null is an unknown amount: it makes a sum unknown, and is never zero. Sums are kept unrounded and become whole
// micro-dollars only once, when they are compared or output.

/** Amount in USD; null if it is not known. */
export type Usd = number | null;

/** A hundredth of a micro-dollar: such amounts are noise from adding prices. */
const NOISE = 0.01;

/** Rounds up to whole micro-dollars: anything that costs something is never free. */
export const microsOf = (usd: number): number => Math.max(0, Math.ceil(usd * 1e6 - NOISE));

/** Returns an amount as programs get it: in whole micro-dollars. */
export const roundedUsd = (usd: Usd): Usd => (usd === null ? null : microsOf(usd) / 1e6);

/** Rounds to the nearest micro-dollar, for amounts that may be negative, such as differences. */
export function nearestUsd(usd: number): number;
export function nearestUsd(usd: Usd): Usd;
export function nearestUsd(usd: Usd): Usd {
  return usd === null ? null : Math.round(usd * 1e6) / 1e6;
}

/** Returns the sum; unknown when a part of it is. */
export const sumOf = (amounts: Iterable<Usd>): Usd => {
  let sum = 0;
  for (const amount of amounts) {
    if (amount === null) return null;
    sum += amount;
  }
  return sum;
};
