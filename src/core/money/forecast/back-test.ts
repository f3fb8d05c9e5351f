// Measures how well a model would have forecast: it is fitted to each beginning of the series, and its forecast of the following week is
// compared with the actual days (rolling origin).
import { type Day, type Fit, LEAST_FITTED } from './series.js';

/** Number of days that each beginning is forecast for: a week. */
const AHEAD = 7;
/** Least number of forecasts; fewer say nothing about the next one. */
const LEAST_FORECASTS = 5;

/** A day that was forecast, with the actual amount. */
export interface Tried {
  /** Number of days that the model was fitted to. */
  readonly origin: number;
  /** Days since the first day of the series. */
  readonly time: number;
  readonly actual: number;
  readonly expected: number;
}

export interface Accuracy {
  /** Share of the variance that was foreseen: 1 at best, negative when worse than the mean; null when all days were alike. */
  readonly r2: number | null;
  /** Mean absolute error, in the unit of the series. */
  readonly mae: number;
  /** Root mean square error, in the unit of the series. */
  readonly rmse: number;
  /** Number of days that were forecast and compared. */
  readonly forecasts: number;
}

/** Forecasts every known day from up to a week before; the days are the same for every model. */
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

/** Returns the accuracy; null when fewer than five days could be compared. */
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

/** Returns the mean square of the errors. */
export const meanSquareOf = (tried: readonly Tried[]): number =>
  tried.reduce((sum, { actual, expected }) => sum + (actual - expected) ** 2, 0) / tried.length;
