// What a forecast says of one amount: a t-distribution around what is expected. Its scale is 0 where the past was without
// noise; then the amount is what is expected.
import jstat from 'jstat';

const { studentt } = jstat.jStat;
/** So far from 0, either way, is 0 or 1 to any digit; jStat squares the value, and knows no answer from 1e154 on. */
const FAR = 1e100;

const cdf = (value: number, degrees: number): number => studentt.cdf(Math.max(-FAR, Math.min(FAR, value)), degrees);

export interface Predictive {
  readonly mean: number;
  /** In the unit of the mean; 0: certain. */
  readonly scale: number;
  /** Degrees of freedom: the days that the scale was learned from, less what was fitted to them. */
  readonly degrees: number;
}

export interface Interval {
  /** The share of cases that it holds, 0 to 1. */
  readonly level: number;
  readonly low: number;
  readonly high: number;
}

/** The central interval that holds `level` of the cases. */
export function intervalOf({ mean, scale, degrees }: Predictive, level: number): Interval {
  const half = scale * studentt.inv((1 + level) / 2, degrees);
  return { level, low: mean - half, high: mean + half };
}

/** How likely it is that the amount is `least` or more, 0 to 1. */
export function probabilityOf({ mean, scale, degrees }: Predictive, least: number): number {
  if (scale === 0) return mean >= least ? 1 : 0;
  return cdf((mean - least) / scale, degrees);
}

/** How likely a value that is this many standard errors from 0, or more, is by chance (two-sided), 0 to 1. */
export const chanceOf = (errors: number, degrees: number): number => 2 * cdf(-Math.abs(errors), degrees);
