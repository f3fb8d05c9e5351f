// A series of daily amounts, oldest first. Unknown days are null: they are counted and left out of every fit, never taken for zero.

/** Null when not known. */
export type Day = number | null;

/** A model fitted to a series. Days ahead are counted from its last day: 1 is the day after it. */
export interface Fitted {
  /** Returns the expected amount `ahead` days after the series. */
  readonly day: (ahead: number) => number;
  /** Returns the variance of the sum of the next `days` days, including the uncertainty of the fit. */
  readonly sumVariance: (days: number) => number;
  /** Degrees of freedom of that variance. */
  readonly degrees: number;
  /** Fitted parameters by name. */
  readonly parameters: Readonly<Record<string, number>>;
}

/** Fits a model; the series has at least `LEAST_FITTED` known days. */
export type Fit = (series: readonly Day[]) => Fitted;

/** Holt's four parameters plus one degree of freedom. */
export const LEAST_FITTED = 5;

/** Returns the known days: days since the first day of the series, and the amount. */
export const knownAmounts = (series: readonly Day[]): { readonly time: number; readonly value: number }[] =>
  series.flatMap((value, time) => (value === null ? [] : [{ time, value }]));

/** Returns the sum of the expected days, none of them below 0. */
export function expectedSum({ day }: Pick<Fitted, 'day'>, days: number): number {
  let sum = 0;
  for (let ahead = 1; ahead <= days; ahead++) sum += Math.max(0, day(ahead));
  return sum;
}
