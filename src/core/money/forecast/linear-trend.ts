// Fits a straight line by ordinary least squares. Days are assumed to be independent around it.
import { pValue } from './predictive.js';
import { type Day, type Fitted, knownAmounts } from './series.js';

export interface Line extends Fitted {
  /** Change per day. */
  readonly slope: number;
  /** Probability of such a slope, or a steeper one, without a trend; 0 to 1. */
  readonly chance: number;
}

/** Fits the line through three or more known days. */
export function linearTrend(series: readonly Day[]): Line {
  const known = knownAmounts(series);
  const count = known.length;
  const meanTime = known.reduce((sum, { time }) => sum + time, 0) / count;
  const mean = known.reduce((sum, { value }) => sum + value, 0) / count;
  const spread = known.reduce((sum, { time }) => sum + (time - meanTime) ** 2, 0);
  const slope = known.reduce((sum, { time, value }) => sum + (time - meanTime) * (value - mean), 0) / spread;
  const at = (time: number): number => mean + slope * (time - meanTime);
  const degrees = count - 2;
  const variance = known.reduce((sum, { time, value }) => sum + (value - at(time)) ** 2, 0) / degrees;
  const last = series.length - 1;
  const error = Math.sqrt(variance / spread);
  return {
    day: (ahead) => at(last + ahead),
    // The noise of the days, the uncertainty of the line's height, and that of its slope.
    sumVariance(days) {
      const reach = days * (last + (days + 1) / 2 - meanTime);
      return variance * (days + days ** 2 / count + reach ** 2 / spread);
    },
    degrees,
    parameters: { slope, firstDay: at(0) },
    slope,
    chance: error === 0 ? Number(slope === 0) : pValue(slope / error, degrees),
  };
}
