// A series of daily amounts, oldest first. Unknown days are null: they are counted and left out of every fit, never taken for zero.

/** Null when not known. */
export type Day = number | null;

/** A model fitted to a series. Days ahead are counted from its last day: 1 is the day after it. */
export interface Fitted {
  /** Returns the expected amount `ahead` days after the series. */
  readonly day: (ahead: number) => number;
  /** Returns the variance of the sum of the next days, each times its weight, including the uncertainty of the fit. */
  readonly variance: (weights: readonly number[]) => number;
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

/** Returns the weights of a plain sum of so many days. */
export const ones = (days: number): readonly number[] => Array.from({ length: days }, () => 1);

export const sumOfAll = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export const sumOfSquares = (values: readonly number[]): number => sumOfAll(values.map((value) => value ** 2));

/** Returns the sum of the expected days, none of them below 0, each times its weight. */
export const expectedSum = ({ day }: Pick<Fitted, 'day'>, weights: readonly number[]): number =>
  sumOfAll(weights.map((weight, index) => weight * Math.max(0, day(index + 1))));
