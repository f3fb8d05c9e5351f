// The models by name, fitted to a series and tested on it.
import { accuracyOf, type Accuracy, backTest, meanSquareOf, type Tried } from './back-test.js';
import { fitHolt } from './holt.js';
import { linearTrend } from './linear-trend.js';
import { type Day, type Fit, type Fitted, expectedSum, knownAmounts } from './series.js';

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
    sumVariance: (days) => variance * (days + days ** 2 / window),
    degrees: misses.length,
    parameters: { window, level },
  };
}

const FITS = { linear: linearTrend, exponential: fitHolt, moving_average: movingAverage } satisfies Record<string, Fit>;

type Single = keyof typeof FITS;
export type ModelName = Single | 'ensemble';

const SINGLES = Object.keys(FITS) as Single[];

export interface Tested {
  readonly fitted: Fitted;
  /** Null when there are too few days to test the model on. */
  readonly accuracy: Accuracy | null;
}

/** Fits a model and tests it; the series has at least `LEAST_FITTED` known days. */
export function testedModel(series: readonly Day[], model: ModelName): Tested {
  if (model === 'ensemble') return testedEnsemble(series);
  const fit = FITS[model];
  return { fitted: fit(series), accuracy: accuracyOf(backTest(series, fit)) };
}

function testedEnsemble(series: readonly Day[]): Tested {
  const trials = SINGLES.map((name) => backTest(series, FITS[name]));
  const weights = earnedWeights(trials);
  const models = SINGLES.map((name) => FITS[name](series));
  const parameters = Object.fromEntries(SINGLES.map((name, index) => [name, weights[index] ?? 0]));
  return { fitted: { ...mixed(models, weights), parameters }, accuracy: accuracyOf(tryEnsemble(trials)) };
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
    sumVariance(days) {
      const sum = average((model) => expectedSum(model, days));
      return average((model) => model.sumVariance(days) + (expectedSum(model, days) - sum) ** 2);
    },
    degrees: Math.min(...models.filter((_, index) => (weights[index] ?? 0) > 0).map(({ degrees }) => degrees)),
    parameters: {},
  };
}

/**
 * Returns what the ensemble would have forecast for the tested days (the same for each model), with the weights that the models had earned
 * by then.
 */
export function tryEnsemble(trials: readonly (readonly Tried[])[]): readonly Tried[] {
  const weightsBy = new Map<number, readonly number[]>();
  return (trials[0] ?? []).map((one, index) => {
    const { origin } = one;
    const weights = weightsBy.get(origin) ?? earnedWeights(trials, ({ time }) => time < origin);
    weightsBy.set(origin, weights);
    const expected = trials.reduce((sum, tried, at) => sum + (weights[at] ?? 0) * (tried[index]?.expected ?? 0), 0);
    return { ...one, expected };
  });
}

/** Returns the weights by the forecasts that `isSeen` accepts; equal weights when there are none. */
function earnedWeights(
  trials: readonly (readonly Tried[])[],
  isSeen: (tried: Tried) => boolean = () => true,
): readonly number[] {
  const seen = trials.map((tried) => tried.filter(isSeen));
  if (seen[0]?.length === 0) return seen.map(() => 1 / seen.length);
  return weightsOf(seen.map(meanSquareOf));
}
