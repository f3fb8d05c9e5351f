// The models by name, fitted to a series and tested on it.
import { meanSquareOf, type Trial, trialsOf, type Tried, triedOf } from './back-test.js';
import { fitHolt } from './holt.js';
import { linearTrend } from './linear-trend.js';
import { RARE, slopeChance } from './predictive.js';
import {
  type Day,
  type Fit,
  type Fitted,
  LEAST_FITTED,
  expectedSum,
  knownAmounts,
  sumOfAll,
  sumOfSquares,
} from './series.js';

// The moving average assumes that coming days are like the last week. Its noise is estimated from how well past windows predicted the day
// after them.

/** A week, so that weekends always have the same weight. */
const WINDOW = 7;

/** Fits the mean of the last week, or of half the known days when there are fewer than two weeks. */
export function movingAverage(series: readonly Day[]): Fitted {
  const values = knownAmounts(series).map(({ value }) => value);
  const window = Math.min(WINDOW, Math.floor(values.length / 2));
  const meanBefore = (end: number): number =>
    values.slice(end - window, end).reduce((sum, value) => sum + value, 0) / window;
  const misses = values.slice(window).map((value, index) => value - meanBefore(window + index));
  // A miss contains the noise of its own day and of a mean of `window` days.
  const variance = misses.reduce((sum, miss) => sum + miss ** 2, 0) / misses.length / (1 + 1 / window);
  const level = meanBefore(values.length);
  return {
    day: () => level,
    variance: (weights) => variance * (sumOfSquares(weights) + sumOfAll(weights) ** 2 / window),
    degrees: misses.length,
    parameters: { window, level },
  };
}

/** The mean of the known days, which may be below 0, and its standard error. */
export function meanRate(series: readonly Day[]): {
  readonly mean: number;
  readonly error: number;
  readonly degrees: number;
} {
  const values = knownAmounts(series).map(({ value }) => value);
  const [count, degrees] = [values.length, values.length - 1];
  const mean = sumOfAll(values) / count;
  return { mean, error: Math.sqrt(sumOfSquares(values.map((value) => value - mean)) / degrees / count), degrees };
}

/** The days of a series that are at a rate. */
export interface AtRate {
  /** False when their mean may be chance (t-test): then nothing is expected to come again. */
  readonly hasRate: boolean;
  /** The series with bursts made unknown. */
  readonly days: readonly Day[];
  readonly bursts: readonly number[];
}

/** Sets bursts aside, the largest first, until the other days have a rate: what came once, or a few times, says nothing of the others. */
export function atRate(series: readonly Day[]): AtRate {
  const days = [...series];
  const bursts: number[] = [];
  let hasRate = isRate(days);
  for (const { time, value } of knownAmounts(series).toSorted((one, other) => other.value - one.value)) {
    if (hasRate || value <= 0) break;
    bursts.push(value);
    days[time] = null;
    hasRate = isRate(days);
  }
  return { hasRate, days, bursts };
}

/** Fits the model to the days at a rate. Bursts are not expected again, and stay in the doubt. */
export const rated =
  (fit: Fit): Fit =>
  (series) => {
    const { hasRate, days, bursts } = atRate(series);
    const count = knownAmounts(series).length;
    const { day, variance, degrees, parameters } = hasRate ? fit(days) : { ...NOTHING, degrees: count };
    const burstVariance = sumOfSquares(bursts) / count;
    return {
      day,
      variance: (weights) => variance(weights) + burstVariance * sumOfSquares(weights),
      degrees,
      parameters,
    };
  };

const NOTHING = { day: () => 0, variance: () => 0, parameters: {} };

function isRate(series: readonly Day[]): boolean {
  const { mean, error, degrees } = meanRate(series);
  return degrees + 1 >= LEAST_FITTED && mean > 0 && slopeChance(mean, error, degrees) < RARE;
}

const FITS = {
  linear: rated(linearTrend),
  exponential: rated(fitHolt),
  moving_average: rated(movingAverage),
} satisfies Record<string, Fit>;

type Single = keyof typeof FITS;
export type ModelName = Single | 'ensemble';

const SINGLES = Object.keys(FITS) as Single[];

export interface Tested {
  readonly fitted: Fitted;
  /** What the model would have forecast from each beginning of the series. */
  readonly trials: readonly Trial[];
}

/** Fits a model and tests it; the series has at least `LEAST_FITTED` known days. */
export function testedModel(series: readonly Day[], model: ModelName): Tested {
  if (model === 'ensemble') return testedEnsemble(series);
  const fit = FITS[model];
  return { fitted: fit(series), trials: trialsOf(series, fit) };
}

function testedEnsemble(series: readonly Day[]): Tested {
  const trials = SINGLES.map((name) => trialsOf(series, FITS[name]));
  const weights = earnedWeights(trials.map((own) => triedOf(series, own)));
  const models = SINGLES.map((name) => FITS[name](series));
  const parameters = Object.fromEntries(SINGLES.map((name, index) => [name, weights[index] ?? 0]));
  return { fitted: { ...mixed(models, weights), parameters }, trials: mixedTrials(series, trials) };
}

// The ensemble combines the models, weighted by how well each has forecast. Where they disagree, the uncertainty grows: the variance is
// that of a mixture of their distributions.

/** Returns weights that sum to 1, by inverse mean square error; models without any error share all of the weight. */
export function weightsOf(meanSquares: readonly number[]): readonly number[] {
  const least = Math.min(...meanSquares);
  // Relative to the smallest error, because its inverse may be infinite.
  const merits = meanSquares.map((square) => (square === least ? 1 : least / square));
  const total = merits.reduce((sum, merit) => sum + merit, 0);
  return merits.map((merit) => merit / total);
}

/** Returns the mixture of `models`; `weights` sum to 1. */
export function mixed(models: readonly Fitted[], weights: readonly number[]): Fitted {
  const average = (of: (model: Fitted) => number): number =>
    models.reduce((sum, model, index) => sum + (weights[index] ?? 0) * of(model), 0);
  return {
    day: (ahead) => average((model) => Math.max(0, model.day(ahead))),
    variance(ofDays) {
      const sum = average((model) => expectedSum(model, ofDays));
      return average((model) => model.variance(ofDays) + (expectedSum(model, ofDays) - sum) ** 2);
    },
    degrees: Math.min(...models.filter((_, index) => (weights[index] ?? 0) > 0).map(({ degrees }) => degrees)),
    parameters: {},
  };
}

/** Returns what the ensemble would have forecast, with the weights that its models had earned by then; all have the same beginnings. */
export function mixedTrials(series: readonly Day[], trials: readonly (readonly Trial[])[]): readonly Trial[] {
  const tried = trials.map((own) => triedOf(series, own));
  return (trials[0] ?? []).map(({ origin, path }, at) => {
    const weights = earnedWeights(tried, ({ time }) => time < origin);
    const dayOf = (ahead: number): number =>
      trials.reduce((sum, own, index) => sum + (weights[index] ?? 0) * (own[at]?.path[ahead] ?? 0), 0);
    return { origin, path: path.map((_, ahead) => dayOf(ahead)) };
  });
}

/** Returns the weights by the forecasts that `isSeen` accepts; equal weights when there are none. */
function earnedWeights(
  tried: readonly (readonly Tried[])[],
  isSeen: (tried: Tried) => boolean = () => true,
): readonly number[] {
  const seen = tried.map((own) => own.filter(isSeen));
  if (seen[0]?.length === 0) return seen.map(() => 1 / seen.length);
  return weightsOf(seen.map(meanSquareOf));
}
