// Predicts when a budget runs out: the first day on which the expected spending reaches what is left, and the probability that it is
// reached at all.
import { checkedSeries, type Forecast, HORIZONS, predictiveSum, type TooFewDays } from './forecast.js';
import { type ModelName, testedModel } from './models.js';
import { probabilityOf } from './predictive.js';
import type { Day } from './series.js';

/** Number of days that are looked ahead. */
const LOOK_AHEAD_DAYS = Math.max(...HORIZONS);
/** Share of what is left that floating-point rounding may lose. */
const ROUNDING = 1e-9;

/** Budget and spending, in the same unit. */
export interface Budget {
  readonly budget: number;
  readonly spent: number;
}

interface Outlook extends Pick<Forecast, 'knownDays' | 'unknownDays'> {
  readonly left: number;
  /** Probability that it runs out within `LOOK_AHEAD_DAYS`, 0 to 1. */
  readonly probability: number;
  /** Expected spending within `LOOK_AHEAD_DAYS`. */
  readonly expected: number;
}

export type Exhaustion =
  /** Nothing is left, so no forecast is needed. `over` may be 0. */
  | { readonly kind: 'exhausted'; readonly over: number }
  /** It runs out on the `days`-th day after the series. */
  | ({ readonly kind: 'runs-out'; readonly days: number } & Outlook)
  /** It is not expected to run out within `LOOK_AHEAD_DAYS`. */
  | ({ readonly kind: 'lasts' } & Outlook)
  | TooFewDays;

/** Predicts when the rest of a budget is spent if the series continues. */
export function exhaustion(series: readonly Day[], { budget, spent }: Budget, model: ModelName): Exhaustion {
  const left = budget - spent;
  if (left <= 0) return { kind: 'exhausted', over: spent - budget };
  const checked = checkedSeries(series);
  if (checked.kind === 'too-few-days') return checked;
  const { fitted } = testedModel(checked.days, model);
  const reached = left * (1 - ROUNDING);
  const whole = predictiveSum(fitted, LOOK_AHEAD_DAYS);
  const { knownDays, unknownDays } = checked;
  const outlook = { left, probability: probabilityOf(whole, reached), expected: whole.mean, knownDays, unknownDays };
  let sum = 0;
  for (let days = 1; days <= LOOK_AHEAD_DAYS; days++) {
    sum += Math.max(0, fitted.day(days));
    if (sum >= reached) return { kind: 'runs-out', days, ...outlook };
  }
  return { kind: 'lasts', ...outlook };
}
