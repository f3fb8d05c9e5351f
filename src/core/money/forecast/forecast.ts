// Forecasts the total cost of coming days: the known cost of what is stored, and statistics of what comes on top. Works on plain numbers:
// results have the unit of the history. With too few known days, only the known cost is told.
import type { Accuracy } from './back-test.js';
import {
  countsOf,
  type Extra,
  extraOf,
  type History,
  knownSum,
  storedSum,
  type TooFewDays,
  tooFewOf,
} from './history.js';
import type { ModelName } from './models.js';
import { type Interval, intervalOf } from './predictive.js';

/** Numbers of days that sums are forecast for. */
export const HORIZONS = [7, 14, 30, 60, 90] as const;
/** Number of days that a forecast looks ahead. */
export const LOOK_AHEAD_DAYS = Math.max(...HORIZONS);
const LEVELS = [0.9, 0.95, 0.99] as const;

/** The forecast sum of the next `days` days. */
export interface Prediction {
  readonly days: number;
  /** What is stored now costs this in these days: nothing is deleted by itself, so no interval goes below. */
  readonly stored: number;
  readonly expected: number;
  /** From the narrowest to the widest; none without statistics. */
  readonly intervals: readonly Interval[];
}

export interface Forecast {
  readonly kind: 'forecast';
  readonly model: ModelName;
  readonly knownDays: number;
  /** Number of days that were left out. */
  readonly unknownDays: number;
  readonly predictions: readonly Prediction[];
  readonly accuracy: Accuracy | null;
  /** Parameters that were fitted to the one-time costs; none where these have no rate. */
  readonly parameters: Readonly<Record<string, number>>;
  /** Parameters that were fitted to what each day added to the cost of a month. */
  readonly addedParameters: Readonly<Record<string, number>>;
  /** Expected amount of each coming day, up to the longest horizon. */
  readonly path: readonly number[];
}

/** Only the known cost of what is stored. */
export interface StoredOnly extends TooFewDays {
  readonly predictions: readonly Prediction[];
}

/** Forecasts the cost of the days to come, of which the history has as many as the longest horizon. */
export function forecast(history: History, model: ModelName): Forecast | StoredOnly {
  const tooFew = tooFewOf(history);
  if (tooFew !== undefined) {
    const predictions = HORIZONS.map((days) => {
      return { days, stored: storedSum(history, days), expected: knownSum(history, days), intervals: [] };
    });
    return { ...tooFew, predictions };
  }
  const { past, coming, soFar } = history;
  const extra = extraOf(history, model);
  const { path, accuracy, once: parameters, added: addedParameters } = extra;
  const days = coming.slice(0, LOOK_AHEAD_DAYS);
  return {
    kind: 'forecast',
    model,
    ...countsOf(past),
    predictions: HORIZONS.map((horizon) => predictionOf(history, extra, horizon)),
    accuracy,
    parameters,
    addedParameters,
    path: days.map(({ stored }, index) => stored + (path[index] ?? 0) + (index === 0 ? (soFar?.once ?? 0) : 0)),
  };
}

function predictionOf(history: History, extra: Extra, days: number): Prediction {
  const known = knownSum(history, days);
  const sum = extra.sum(days);
  const intervals = LEVELS.map((level) => {
    const { low, high } = intervalOf(sum, level);
    return { level, low: known + Math.max(0, low), high: known + high };
  });
  return { days, stored: storedSum(history, days), expected: known + sum.mean, intervals };
}
