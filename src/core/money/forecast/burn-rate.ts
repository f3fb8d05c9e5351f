// Measures how fast money is spent: the mean of the known days, and whether it is rising or falling.
import { linearTrend } from './linear-trend.js';
import { checkedSeries, type Forecast, type TooFewDays } from './forecast.js';
import { type Day, knownAmounts } from './series.js';

/** A slope with a lower probability of being chance is reported as a trend. */
const RARE = 0.05;

export interface BurnRate extends Pick<Forecast, 'knownDays' | 'unknownDays'> {
  readonly kind: 'burn-rate';
  /** Sum of the known days. */
  readonly sum: number;
  readonly mean: number;
  readonly highest: number;
  /** `steady` when the slope may be chance. */
  readonly trend: 'rising' | 'falling' | 'steady';
  /** How much more a day costs than the day before. */
  readonly slope: number;
  /** Probability of such a slope, or a steeper one, without a trend; 0 to 1. */
  readonly chance: number;
}

/** Computes the burn rate of a series of daily costs. */
export function burnRate(series: readonly Day[]): BurnRate | TooFewDays {
  const checked = checkedSeries(series);
  if (checked.kind === 'too-few-days') return checked;
  const { days, knownDays, unknownDays } = checked;
  const values = knownAmounts(days).map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const { slope, chance } = linearTrend(days);
  const trend = chance < RARE ? (slope > 0 ? 'rising' : 'falling') : 'steady';
  const mean = sum / knownDays;
  return { kind: 'burn-rate', knownDays, unknownDays, sum, mean, highest: Math.max(...values), trend, slope, chance };
}
