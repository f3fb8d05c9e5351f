// The predictive distribution of one amount: a t-distribution around the expected value. Its scale is 0 when the past had no noise; then
// the amount is certain.
import jstat from 'jstat';

const { studentt } = jstat.jStat;
/** What has a lower probability of being chance is reported as a rate or a trend. */
export const RARE = 0.05;
/** Values are limited to this, where the probability is 0 or 1 to all digits; jStat squares the value and fails from 1e154 on. */
const FAR = 1e100;

const cdf = (value: number, degrees: number): number => studentt.cdf(Math.max(-FAR, Math.min(FAR, value)), degrees);

export interface Predictive {
  readonly mean: number;
  /** In the unit of the mean; 0 means certain. */
  readonly scale: number;
  /** Degrees of freedom: the number of days that the scale was estimated from, less the number of fitted parameters. */
  readonly degrees: number;
}

export interface Interval {
  /** Probability that the amount is within, 0 to 1. */
  readonly level: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the central interval that contains the amount with probability `level`. */
export function intervalOf({ mean, scale, degrees }: Predictive, level: number): Interval {
  const half = scale === 0 ? 0 : scale * studentt.inv((1 + level) / 2, degrees);
  return { level, low: mean - half, high: mean + half };
}

/** Returns the probability that the amount is `least` or more, 0 to 1. */
export function probabilityOf({ mean, scale, degrees }: Predictive, least: number): number {
  if (scale === 0) return mean >= least ? 1 : 0;
  return cdf((mean - least) / scale, degrees);
}

/** Returns the probability that a value is so many standard errors from 0, or more, by chance (two-sided), 0 to 1. */
export const pValue = (errors: number, degrees: number): number => 2 * cdf(-Math.abs(errors), degrees);

/** Returns the probability that a rate or slope with this standard error is chance (two-sided), 0 to 1. */
export const slopeChance = (slope: number, error: number, degrees: number): number =>
  error === 0 ? Number(slope === 0) : pValue(slope / error, degrees);
