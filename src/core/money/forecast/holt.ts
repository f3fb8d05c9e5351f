// Holt's linear trend (exponential smoothing, ETS(A,A,N)): a level and a trend that follow the series, each as fast as fits
// best. Sources: Hyndman, Koehler, Ord and Snyder, Forecasting with Exponential Smoothing (2008), tables 2.1 and 6.1.
import type { Day, Fitted } from './series.js';

/** How fast the level follows (alpha), and how fast the trend follows the level (beta), 0 to 1. */
export interface Smoothing {
  readonly alpha: number;
  readonly beta: number;
}

/** Where R's `ets` has its bounds. */
const [LEAST, MOST] = [1e-4, 1 - 1e-4];
/** Half of the weight lies on the last week, or on less: a level that follows more slowly is the line of `linear-trend.ts`. */
const LEAST_ALPHA = 0.1;
const COARSE_STEPS = 10;
/** Each halves the step: 0.1 becomes less than 1e-4. */
const ROUNDS = 11;
/** Level and trend at the beginning, alpha and beta. */
const FITTED = 4;

/** The smoothing with the least squares of one day ahead, found on a grid that becomes finer. */
export function holt(series: readonly Day[]): Fitted {
  let best = { smoothing: { alpha: LEAST_ALPHA, beta: LEAST }, squares: Number.POSITIVE_INFINITY };
  const attempt = (alpha: number, beta: number): void => {
    const smoothing = { alpha: bounded(alpha, LEAST_ALPHA), beta: bounded(beta, LEAST) };
    const { squares } = smoothed(series, smoothing);
    if (squares < best.squares) best = { smoothing, squares };
  };
  let step = 1 / COARSE_STEPS;
  for (let alpha = 0; alpha <= COARSE_STEPS; alpha++)
    for (let beta = 0; beta <= COARSE_STEPS; beta++) attempt(alpha * step, beta * step);
  for (let round = 0; round < ROUNDS; round++) {
    step /= 2;
    const { alpha, beta } = best.smoothing;
    for (const across of [-step, 0, step])
      for (const up of [-step, 0, step]) if (across !== 0 || up !== 0) attempt(alpha + across, beta + up);
  }
  return holtWith(series, best.smoothing);
}

const bounded = (share: number, least: number): number => Math.min(MOST, Math.max(least, share));

/** Holt's linear trend with this smoothing. */
export function holtWith(series: readonly Day[], smoothing: Smoothing): Fitted & { readonly squares: number } {
  const { level, trend, squares, known } = smoothed(series, smoothing);
  const { alpha, beta } = smoothing;
  const degrees = known - FITTED;
  const variance = squares / degrees;
  return {
    day: (ahead) => level + ahead * trend,
    // What surprises a day moves the level by alpha of it and the trend by alpha * beta, and so all days after it.
    sumVariance(days) {
      let sum = 0;
      for (let after = 0; after < days; after++)
        sum += (1 + alpha * after + (alpha * beta * after * (after + 1)) / 2) ** 2;
      return variance * sum;
    },
    degrees,
    parameters: { alpha, beta, level, trend },
    squares,
  };
}

interface Smoothed extends State {
  /** Of the errors one day ahead. */
  readonly squares: number;
  readonly known: number;
}

/** Follows the series from the beginning that fits best. */
function smoothed(series: readonly Day[], smoothing: Smoothing): Smoothed {
  const state = new Followed(beginning(series, smoothing));
  let [squares, known] = [0, 0];
  for (const value of series) {
    squares += state.follow(value, smoothing) ** 2;
    known += Number(value !== null);
  }
  return { level: state.level, trend: state.trend, squares, known };
}

/**
 * Level and trend before the first day. Each error is linear in both, so the least squares are found exactly: the series is
 * followed from 0, and so is what a beginning of 1 in either adds.
 */
function beginning(series: readonly Day[], smoothing: Smoothing): State {
  const zero = new Followed({ level: 0, trend: 0 });
  const byLevel = new Followed({ level: 1, trend: 0 });
  const byTrend = new Followed({ level: 0, trend: 1 });
  const sums = { ll: 0, lt: 0, tt: 0, le: 0, te: 0 };
  for (const value of series) {
    const error = zero.follow(value, smoothing);
    const nothing = value === null ? null : 0;
    const l = -byLevel.follow(nothing, smoothing);
    const t = -byTrend.follow(nothing, smoothing);
    sums.ll += l * l;
    sums.lt += l * t;
    sums.tt += t * t;
    sums.le += l * error;
    sums.te += t * error;
  }
  const { ll, lt, tt, le, te } = sums;
  const determinant = ll * tt - lt * lt;
  return { level: (le * tt - te * lt) / determinant, trend: (te * ll - le * lt) / determinant };
}

interface State {
  readonly level: number;
  readonly trend: number;
}

/** A level and a trend that follow values. */
class Followed {
  level: number;
  trend: number;

  constructor({ level, trend }: State) {
    this.level = level;
    this.trend = trend;
  }

  /** Goes on by a day and tells how far the value was from what was expected; an unknown one surprises nobody. */
  follow(value: Day, { alpha, beta }: Smoothing): number {
    const expected = this.level + this.trend;
    const error = value === null ? 0 : value - expected;
    this.level = expected + alpha * error;
    this.trend += alpha * beta * error;
    return error;
  }
}
