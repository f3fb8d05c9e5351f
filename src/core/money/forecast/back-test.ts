// How well a model would have forecast: it is fitted to each beginning of the series, and what it expects of the week after
// is compared with what came (rolling origin).
import { type Day, type Fit, LEAST_FITTED } from './series.js';

/** As far as each beginning is forecast: a week. */
const AHEAD = 7;
/** Fewer forecasts say nothing about the next one. */
const LEAST_FORECASTS = 5;

/** One day that was forecast. */
export interface Tried {
  /** How many days the model had seen. */
  readonly origin: number;
  /** Days after the first of the series. */
  readonly time: number;
  readonly actual: number;
  readonly expected: number;
}

export interface Accuracy {
  /** The share of the variance that was foreseen: 1 at best, below 0 for less than the mean would have; null where every day was alike. */
  readonly r2: number | null;
  /** Mean of the absolute errors, in the unit of the series. */
  readonly mae: number;
  /** Root of the mean square of the errors, in the unit of the series. */
  readonly rmse: number;
  /** How many days were forecast and compared. */
  readonly forecasts: number;
}

/** Every known day that is forecast from up to a week before; the same days for every model. */
export function backTest(series: readonly Day[], fit: Fit): readonly Tried[] {
  const tried: Tried[] = [];
  let known = 0;
  for (let origin = 1; origin < series.length; origin++) {
    known += Number(series[origin - 1] !== null);
    if (known < LEAST_FITTED) continue;
    const { day } = fit(series.slice(0, origin));
    for (let ahead = 1; ahead <= AHEAD; ahead++) {
      const time = origin + ahead - 1;
      const actual = series[time];
      if (actual !== null && actual !== undefined)
        tried.push({ origin, time, actual, expected: Math.max(0, day(ahead)) });
    }
  }
  return tried;
}

/** Null where fewer than five days could be compared. */
export function accuracyOf(tried: readonly Tried[]): Accuracy | null {
  const forecasts = tried.length;
  if (forecasts < LEAST_FORECASTS) return null;
  const meanOf = (of: (one: Tried) => number): number => tried.reduce((sum, one) => sum + of(one), 0) / forecasts;
  const mean = meanOf(({ actual }) => actual);
  const variance = meanOf(({ actual }) => (actual - mean) ** 2);
  const square = meanSquareOf(tried);
  return {
    r2: tried.every(({ actual }) => actual === tried[0]?.actual) ? null : 1 - square / variance,
    mae: meanOf(({ actual, expected }) => Math.abs(actual - expected)),
    rmse: Math.sqrt(square),
    forecasts,
  };
}

/** Of the errors. */
export const meanSquareOf = (tried: readonly Tried[]): number =>
  tried.reduce((sum, { actual, expected }) => sum + (actual - expected) ** 2, 0) / tried.length;
