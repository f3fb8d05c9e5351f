// Predicts when a budget runs out: the first day on which the expected spending reaches what is left, the probability that it is reached at
// all, and the day on which what is stored reaches it alone.
import { LOOK_AHEAD_DAYS } from './forecast.js';
import { countsOf, extraOf, type History, storedSum, type TooFewDays, tooFewOf } from './history.js';
import type { ModelName } from './models.js';
import { probabilityOf } from './predictive.js';

/** Share of what is left that floating-point rounding may lose. */
const ROUNDING = 1e-9;

/** Budget and spending, in the same unit. */
export interface Budget {
  readonly budget: number;
  readonly spent: number;
}

interface Known {
  readonly left: number;
  /** The known cost of what is stored within `LOOK_AHEAD_DAYS`. */
  readonly stored: number;
  /** The day, counted from the first to come, on which that reaches what is left; null when the history has too few coming days. */
  readonly storedDays: number | null;
}

interface Outlook extends Known {
  readonly knownDays: number;
  readonly unknownDays: number;
  /** Set where there are too few known days for statistics, and the known cost alone is meant: how many that takes. */
  readonly neededDays?: number;
  /** Probability that it runs out within `LOOK_AHEAD_DAYS`, 0 to 1. */
  readonly probability: number;
  /** Expected spending within `LOOK_AHEAD_DAYS`. */
  readonly expected: number;
}

export type Exhaustion =
  /** Nothing is left, so no forecast is needed. `over` may be 0. */
  | { readonly kind: 'exhausted'; readonly over: number }
  /** It runs out on the `days`-th day to come. */
  | ({ readonly kind: 'runs-out'; readonly days: number } & Outlook)
  /** It is not expected to run out within `LOOK_AHEAD_DAYS`. */
  | ({ readonly kind: 'lasts' } & Outlook)
  | (TooFewDays & Known);

/** Predicts when the rest of a budget is spent; the history has `LOOK_AHEAD_DAYS` coming days or more, and the longer, the later is known. */
export function exhaustion(history: History, { budget, spent }: Budget, model: ModelName): Exhaustion {
  const left = budget - spent;
  if (left <= 0) return { kind: 'exhausted', over: spent - budget };
  const reached = left * (1 - ROUNDING);
  const stored = storedSum(history, LOOK_AHEAD_DAYS);
  const known = { left, stored, storedDays: storedDaysOf(history, reached) };
  const tooFew = tooFewOf(history);
  if (tooFew !== undefined) {
    if (stored < reached || known.storedDays === null) return { ...tooFew, ...known };
    return { ...tooFew, kind: 'runs-out', days: known.storedDays, ...known, probability: 1, expected: stored };
  }
  const { path, sum } = extraOf({ ...history, coming: history.coming.slice(0, LOOK_AHEAD_DAYS) }, model);
  const whole = sum(LOOK_AHEAD_DAYS);
  const outlook = {
    ...known,
    ...countsOf(history.past),
    probability: stored >= reached ? 1 : probabilityOf(whole, reached - stored),
    expected: stored + whole.mean,
  };
  let onTop = 0;
  for (let days = 1; days <= LOOK_AHEAD_DAYS; days++) {
    onTop += path[days - 1] ?? 0;
    if (storedSum(history, days) + onTop >= reached) return { kind: 'runs-out', days, ...outlook };
  }
  return { kind: 'lasts', ...outlook };
}

function storedDaysOf({ coming }: History, reached: number): number | null {
  let sum = 0;
  for (const [index, { stored }] of coming.entries()) {
    sum += stored;
    if (sum >= reached) return index + 1;
  }
  return null;
}
