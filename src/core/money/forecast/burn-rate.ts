// Measures how fast money is spent now: what is stored costs this much a day, and one-time costs come to that much on average. Days from
// before something was stored say nothing about it.
import { countsOf, type History, type TooFewDays, tooFewOf } from './history.js';
import { linearTrend } from './linear-trend.js';
import { atRate, meanRate } from './models.js';
import { RARE, slopeChance } from './predictive.js';
import { knownAmounts, sumOfAll } from './series.js';

export interface BurnRate {
  readonly kind: 'burn-rate';
  readonly knownDays: number;
  readonly unknownDays: number;
  /** Sum of the known days. */
  readonly sum: number;
  /** What is stored costs this on the first day to come. */
  readonly stored: number;
  /** Mean of the one-time costs of a day. */
  readonly once: number;
  /** Both together. */
  readonly perDay: number;
  readonly highest: number;
  /** `steady` when the slope may be chance. */
  readonly trend: 'rising' | 'falling' | 'steady';
  /** How much more a day costs than the day before: the slope of the one-time costs, and what is added to what is stored. */
  readonly slope: number;
  /** Probability of such a slope, or a steeper one, without a trend; 0 to 1. */
  readonly chance: number;
}

/** Computes the burn rate of a history with a day to come. */
export function burnRate(history: History): BurnRate | TooFewDays {
  const tooFew = tooFewOf(history);
  if (tooFew !== undefined) return tooFew;
  const { past, coming } = history;
  const { stored = 0, month = 0 } = coming[0] ?? {};
  const costs = knownAmounts(past.map(({ cost }) => cost)).map(({ value }) => value);
  const onces = past.map((day) => day.once);
  const line = linearTrend(onces);
  const changes = past.map((day) => day.added);
  const { hasRate, days } = atRate(changes);
  const added = meanRate(hasRate ? days : changes);
  const slope = line.slope + added.mean * month;
  const chance = slopeChance(slope, line.error + added.error * month, Math.min(line.degrees, added.degrees));
  const once = meanRate(onces).mean;
  return {
    kind: 'burn-rate',
    ...countsOf(past),
    sum: sumOfAll(costs),
    stored,
    once,
    perDay: stored + once,
    highest: Math.max(...costs),
    trend: chance < RARE ? (slope > 0 ? 'rising' : 'falling') : 'steady',
    slope,
    chance,
  };
}
