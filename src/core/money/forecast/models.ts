// The models by name, fitted to a series and tried on it.
import { accuracyOf, type Accuracy, backTest } from './back-test.js';
import { earnedWeights, mixed, tryEnsemble } from './ensemble.js';
import { holt } from './holt.js';
import { linearTrend } from './linear-trend.js';
import { movingAverage } from './moving-average.js';
import type { Day, Fit, Fitted } from './series.js';

const FITS = { linear: linearTrend, exponential: holt, moving_average: movingAverage } satisfies Record<string, Fit>;

type Single = keyof typeof FITS;
export type ModelName = Single | 'ensemble';

const SINGLES = Object.keys(FITS) as Single[];

export interface Tested {
  readonly fitted: Fitted;
  /** Null where there are too few days to try the model on. */
  readonly accuracy: Accuracy | null;
}

/** Fits a model and tries it; the series has `LEAST_FITTED` known days at least. */
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
