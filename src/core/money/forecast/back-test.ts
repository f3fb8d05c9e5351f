// Measures how well a model would have forecast: it is fitted to each beginning of the series, and its forecast of the following week is
// compared with the actual days (rolling origin).
import { type Day, type Fit, LEAST_FITTED } from './series.js';

/** Number of days that each beginning is forecast for: a week. */
const AHEAD = 7;
/** Least number of forecasts; fewer say nothing about the next one. */
const LEAST_FORECASTS = 5;
/** Days are alike when they differ by a smaller share than this, which is what rounding makes of equal amounts. */
const ALIKE = 1e-9;

/** What was forecast from a beginning of the series. */
export interface Trial {
  /** Number of days that the model was fitted to. */
  readonly origin: number;
  /** Expected amount of each day of the week after them, or up to the end of the series. */
  readonly path: readonly number[];
}

/** A day that was forecast, with the actual amount. */
export interface Tried {
  readonly origin: number;
  /** Days since the first day of the series. */
  readonly time: number;
  readonly actual: number;
  readonly expected: number;
}

export interface Accuracy {
  /** Share of the variance that was foreseen, 0 to 1; null when all days were alike, or the mean would have been nearer to them. */
  readonly r2: number | null;
  /** Mean absolute error, in the unit of the series. */
  readonly mae: number;
  /** Root mean square error, in the unit of the series. */
  readonly rmse: number;
  /** Number of days that were forecast and compared. */
  readonly forecasts: number;
}

/** Forecasts the week after each beginning with enough known days; the beginnings are the same for every model. */
export function trialsOf(series: readonly Day[], fit: Fit): readonly Trial[] {
  const trials: Trial[] = [];
  let known = 0;
  for (let origin = 1; origin < series.length; origin++) {
    known += Number(series[origin - 1] !== null);
    if (known < LEAST_FITTED) continue;
    const { day } = fit(series.slice(0, origin));
    const days = Math.min(AHEAD, series.length - origin);
    trials.push({ origin, path: Array.from({ length: days }, (_, index) => Math.max(0, day(index + 1))) });
  }
  return trials;
}

/** Compares the trials with the days that are known. */
export const triedOf = (series: readonly Day[], trials: readonly Trial[]): readonly Tried[] =>
  trials.flatMap(({ origin, path }) =>
    path.flatMap((expected, index) => {
      const time = origin + index;
      const actual = series[time] ?? null;
      return actual === null ? [] : [{ origin, time, actual, expected }];
    }),
  );

/** Returns the accuracy; null when fewer than five days could be compared. */
export function accuracyOf(tried: readonly Tried[]): Accuracy | null {
  const forecasts = tried.length;
  if (forecasts < LEAST_FORECASTS) return null;
  const meanOf = (of: (one: Tried) => number): number => tried.reduce((sum, one) => sum + of(one), 0) / forecasts;
  const mean = meanOf(({ actual }) => actual);
  const variance = meanOf(({ actual }) => (actual - mean) ** 2);
  const square = meanSquareOf(tried);
  const areAlike = tried.every(({ actual }) => Math.abs(actual - mean) <= ALIKE * Math.abs(mean));
  return {
    r2: areAlike || square > variance ? null : 1 - square / variance,
    mae: meanOf(({ actual, expected }) => Math.abs(actual - expected)),
    rmse: Math.sqrt(square),
    forecasts,
  };
}

/** Returns the mean square of the errors. */
export const meanSquareOf = (tried: readonly Tried[]): number =>
  tried.reduce((sum, { actual, expected }) => sum + (actual - expected) ** 2, 0) / tried.length;
