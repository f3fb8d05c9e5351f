// A series of daily amounts, oldest first. A day that nobody knows is null: it is left out of every fit and counted, and is
// never taken for zero.

/** Null: not known. */
export type Day = number | null;

/** A model fitted to a series. Days ahead are counted from its last day: 1 is the day after it. */
export interface Fitted {
  /** What is expected of the day that is `ahead` days away. */
  readonly day: (ahead: number) => number;
  /** Variance of the sum of the next `days` days around what is expected, the doubt about the fit included. */
  readonly sumVariance: (days: number) => number;
  /** Degrees of freedom of that variance. */
  readonly degrees: number;
  /** What was fitted, by name. */
  readonly parameters: Readonly<Record<string, number>>;
}

/** Fits a model; the series has `LEAST_FITTED` known days at least. */
export type Fit = (series: readonly Day[]) => Fitted;

/** Holt's four parameters and one degree of freedom. */
export const LEAST_FITTED = 5;

/** The known days: how many days after the first of the series, and the amount. */
export const knownOf = (series: readonly Day[]): { readonly time: number; readonly value: number }[] =>
  series.flatMap((value, time) => (value === null ? [] : [{ time, value }]));

/** The sum of the expected days; what is spent is never below 0. */
export function expectedSum({ day }: Pick<Fitted, 'day'>, days: number): number {
  let sum = 0;
  for (let ahead = 1; ahead <= days; ahead++) sum += Math.max(0, day(ahead));
  return sum;
}
