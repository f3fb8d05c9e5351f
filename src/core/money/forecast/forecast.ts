// Forecasts the total cost of coming days from a series of daily costs. Works on plain numbers: results have the unit of the series. Too
// few known days are reported as such, and nothing is made up for them.
import { type Accuracy } from './back-test.js';
import { type ModelName, testedModel } from './models.js';
import { type Interval, intervalOf, type Predictive } from './predictive.js';
import { type Day, expectedSum, type Fitted } from './series.js';

/** Numbers of days that sums are forecast for. */
export const HORIZONS = [7, 14, 30, 60, 90] as const;
const LEVELS = [0.9, 0.95, 0.99] as const;
/** A week: fewer days cannot tell a trend from a weekend. */
const LEAST_DAYS = 7;

/** The forecast sum of the next `days` days. */
export interface Prediction {
  readonly days: number;
  readonly expected: number;
  /** From the narrowest to the widest; no bound is below 0. */
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
  readonly parameters: Readonly<Record<string, number>>;
  /** Expected amount of each coming day, up to the longest horizon. */
  readonly path: readonly number[];
}

/** There are too few known days for a forecast. */
export interface TooFewDays {
  readonly kind: 'too-few-days';
  readonly knownDays: number;
  readonly unknownDays: number;
  readonly neededDays: number;
}

/** Forecasts the cost of the days after the series. Amounts that are not finite numbers count as unknown. */
export function forecast(series: readonly Day[], model: ModelName): Forecast | TooFewDays {
  const checked = checkedSeries(series);
  if (checked.kind === 'too-few-days') return checked;
  const { days, knownDays, unknownDays } = checked;
  const { fitted, accuracy } = testedModel(days, model);
  const { parameters } = fitted;
  const path = Array.from({ length: HORIZONS.at(-1) ?? 0 }, (_, index) => Math.max(0, fitted.day(index + 1)));
  const predictions = HORIZONS.map((horizon) => predictionOf(fitted, horizon));
  return { kind: 'forecast', model, knownDays, unknownDays, predictions, accuracy, parameters, path };
}

function predictionOf(fitted: Fitted, days: number): Prediction {
  const sum = predictiveSum(fitted, days);
  const intervals = LEVELS.map((level) => {
    const { low, high } = intervalOf(sum, level);
    return { level, low: Math.max(0, low), high };
  });
  return { days, expected: sum.mean, intervals };
}

/** Returns the model's distribution of the sum of the next `days` days. */
export function predictiveSum(fitted: Fitted, days: number): Predictive {
  const { degrees } = fitted;
  return { mean: expectedSum(fitted, days), scale: Math.sqrt(fitted.sumVariance(days)), degrees };
}

interface Checked extends Pick<Forecast, 'knownDays' | 'unknownDays'> {
  readonly kind: 'checked';
  readonly days: readonly Day[];
}

/** Returns the series with invalid numbers made unknown, if it has enough known days. */
export function checkedSeries(series: readonly Day[]): Checked | TooFewDays {
  const days = series.map((value) => (value !== null && Number.isFinite(value) ? value : null));
  const unknownDays = days.filter((value) => value === null).length;
  const knownDays = days.length - unknownDays;
  if (knownDays < LEAST_DAYS) return { kind: 'too-few-days', knownDays, unknownDays, neededDays: LEAST_DAYS };
  return { kind: 'checked', days, knownDays, unknownDays };
}
