// Holt's linear trend (exponential smoothing, ETS(A,A,N)): a level and a trend that follow the series at the speeds that fit best. Sources:
// Hyndman, Koehler, Ord and Snyder, Forecasting with Exponential Smoothing (2008), tables 2.1 and 6.1.
import type { Day, Fitted } from './series.js';

/** How fast the level follows the series (alpha) and the trend follows the level (beta), each 0 to 1. */
export interface Smoothing {
  readonly alpha: number;
  readonly beta: number;
}

/** Bounds of both parameters, as in R's `ets`. */
const [LEAST, MOST] = [1e-4, 1 - 1e-4];
/** Gives at least half of the weight to the last week: a level that follows more slowly is the line of `linear-trend.ts`. */
const LEAST_ALPHA = 0.1;
const COARSE_STEPS = 10;
/** Each round halves the step: 0.1 becomes less than 1e-4. */
const ROUNDS = 11;
/** Number of fitted parameters: initial level and trend, alpha and beta. */
const FITTED = 4;

/** Fits the smoothing with the least squares of one-day-ahead errors, searching a grid that becomes finer. */
export function fitHolt(series: readonly Day[]): Fitted {
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
  return fitHoltWith(series, best.smoothing);
}

const bounded = (share: number, least: number): number => Math.min(MOST, Math.max(least, share));

/** Returns Holt's linear trend with this smoothing. */
export function fitHoltWith(series: readonly Day[], smoothing: Smoothing): Fitted & { readonly squares: number } {
  const { level, trend, squares, known } = smoothed(series, smoothing);
  const { alpha, beta } = smoothing;
  const degrees = known - FITTED;
  const variance = squares / degrees;
  return {
    day: (ahead) => level + ahead * trend,
    // A surprise on one day moves the level by alpha of it and the trend by alpha * beta, and so affects all following days.
    variance(weights) {
      let [sum, later, reach] = [0, 0, 0];
      for (const weight of weights.toReversed()) {
        sum += (weight + alpha * later + alpha * beta * reach) ** 2;
        later += weight;
        reach += later;
      }
      return variance * sum;
    },
    degrees,
    parameters: { alpha, beta, level, trend },
    squares,
  };
}

interface Smoothed extends State {
  /** Sum of the squared one-day-ahead errors. */
  readonly squares: number;
  readonly known: number;
}

/** Follows the series from the initial state that fits best. */
function smoothed(series: readonly Day[], smoothing: Smoothing): Smoothed {
  const state = new Follower(bestStart(series, smoothing));
  let [squares, known] = [0, 0];
  for (const value of series) {
    squares += state.follow(value, smoothing) ** 2;
    known += Number(value !== null);
  }
  return { level: state.level, trend: state.trend, squares, known };
}

/**
 * Returns the best level and trend before the first day. Each error is linear in both, so the least squares are found exactly: the series
 * is followed from 0, and separately the effect of an initial 1 in either.
 */
function bestStart(series: readonly Day[], smoothing: Smoothing): State {
  const zero = new Follower({ level: 0, trend: 0 });
  const byLevel = new Follower({ level: 1, trend: 0 });
  const byTrend = new Follower({ level: 0, trend: 1 });
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

/** A level and a trend that follow a series. */
class Follower {
  level: number;
  trend: number;

  constructor({ level, trend }: State) {
    this.level = level;
    this.trend = trend;
  }

  /** Advances by a day and returns how far the value was from the expected one; 0 for an unknown value. */
  follow(value: Day, { alpha, beta }: Smoothing): number {
    const expected = this.level + this.trend;
    const error = value === null ? 0 : value - expected;
    this.level = expected + alpha * error;
    this.trend += alpha * beta * error;
    return error;
  }
}
