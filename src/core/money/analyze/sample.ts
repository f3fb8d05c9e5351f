// Estimates totals of a store from some of its key ranges (cluster sampling). Folders cut the keys into M ranges; ranges are drawn at
// random, without replacement, and each is listed to its end, until enough objects were seen. With m of M drawn, a total is estimated as
// M/m times the drawn sum, which is unbiased however the ranges are cut. Its error is computed from how much the ranges differ: 2.05 · M ·
// √((1 − m/M) · s² / m), with s² the variance between the drawn ranges: 95 % of such intervals contain the total, as far as sums of so many
// ranges are normally distributed (Cochran, Sampling Techniques, chapter 9).

/** Least number of ranges drawn; fewer tell too little about how much they differ. */
export const LEAST_RANGES = 30;
/** Student's t for 95 % with 29 degrees of freedom; with more it is slightly smaller. */
const T_95 = 2.05;

/** Returns half the width of the interval around a total of all M ranges, from the values of the drawn ones; 0 when all were drawn. */
export function errorOfTotal(drawn: readonly number[], ranges: number): number {
  const count = drawn.length;
  if (count >= ranges || count < 2) return 0;
  const mean = drawn.reduce((sum, value) => sum + value, 0) / count;
  const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return T_95 * ranges * Math.sqrt(((1 - count / ranges) * variance) / count);
}

/** Returns the items in random order (Fisher-Yates). */
export function shuffled<T>(things: readonly T[], random: () => number): readonly T[] {
  const mixed = [...things];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
