// How fast money is spent: the mean of the known days, and whether it goes up or down.
import { linearTrend } from './linear-trend.js';
import { checkedSeries, type Forecast, type TooFewDays } from './forecast.js';
import { type Day, knownOf } from './series.js';

/** A slope that chance makes less often than this is told as one. */
const RARE = 0.05;

export interface BurnRate extends Pick<Forecast, 'knownDays' | 'unknownDays'> {
  readonly kind: 'burn-rate';
  /** Of the known days. */
  readonly sum: number;
  readonly mean: number;
  readonly highest: number;
  /** `steady` where the slope may be chance. */
  readonly trend: 'rising' | 'falling' | 'steady';
  /** By how much a day costs more than the one before. */
  readonly slope: number;
  /** How likely such a slope, or a steeper one, is where there is none, 0 to 1. */
  readonly chance: number;
}

/** What the days of the series cost each. */
export function burnRate(series: readonly Day[]): BurnRate | TooFewDays {
  const checked = checkedSeries(series);
  if (checked.kind === 'too-few-days') return checked;
  const { days, knownDays, unknownDays } = checked;
  const values = knownOf(days).map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const { slope, chance } = linearTrend(days);
  const trend = chance < RARE ? (slope > 0 ? 'rising' : 'falling') : 'steady';
  const mean = sum / knownDays;
  return { kind: 'burn-rate', knownDays, unknownDays, sum, mean, highest: Math.max(...values), trend, slope, chance };
}
