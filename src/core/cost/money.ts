// Amounts of money. Null is an amount that nobody knows: it makes a sum unknown, and is never zero. Sums are kept as they
// are and become whole micro-dollars once, where one is compared or told.

/** USD; null: not known. */
export type Usd = number | null;

/** A hundredth of a micro-dollar and less is the noise of adding prices. */
const NOISE = 0.01;

/** Whole micro-dollars, rounded up: what costs anything is never free. */
export const microsOf = (usd: number): number => Math.max(0, Math.ceil(usd * 1e6 - NOISE));

/** An amount as it is told to programs: in whole micro-dollars. */
export const roundedUsd = (usd: Usd): Usd => (usd === null ? null : microsOf(usd) / 1e6);

/** The same to the nearest one, for what may be negative, as differences are. */
export function nearestUsd(usd: number): number;
export function nearestUsd(usd: Usd): Usd;
export function nearestUsd(usd: Usd): Usd {
  return usd === null ? null : Math.round(usd * 1e6) / 1e6;
}

/** The sum; unknown when a part of it is. */
export const sumOf = (amounts: Iterable<Usd>): Usd => {
  let sum = 0;
  for (const amount of amounts) {
    if (amount === null) return null;
    sum += amount;
  }
  return sum;
};
