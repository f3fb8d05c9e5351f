// When a budget runs out: the first day on which what is expected reaches what is left of it, and how likely it is that it is
// reached at all.
import { checkedSeries, type Forecast, HORIZONS, predictiveSum, type TooFewDays } from './forecast.js';
import { type ModelName, testedModel } from './models.js';
import { probabilityOf } from './predictive.js';
import type { Day } from './series.js';

/** As far as is looked ahead. */
const LOOK_AHEAD_DAYS = Math.max(...HORIZONS);
/** Of what is left: as much as adding up in floating point may lose. */
const ROUNDING = 1e-9;

/** Amounts of one unit. */
export interface Budget {
  readonly budget: number;
  readonly spent: number;
}

interface Outlook extends Pick<Forecast, 'knownDays' | 'unknownDays'> {
  readonly left: number;
  /** That it runs out within `LOOK_AHEAD_DAYS`, 0 to 1. */
  readonly probability: number;
  /** What is expected to be spent within `LOOK_AHEAD_DAYS`. */
  readonly expected: number;
}

export type Exhaustion =
  /** Nothing is left; no forecast is needed for it. `over` may be 0. */
  | { readonly kind: 'exhausted'; readonly over: number }
  /** On the `days`-th day after the series. */
  | ({ readonly kind: 'runs-out'; readonly days: number } & Outlook)
  /** It is not expected to within `LOOK_AHEAD_DAYS`. */
  | ({ readonly kind: 'lasts' } & Outlook)
  | TooFewDays;

/** When what is left of a budget is spent, going on as the series did. */
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
