// Fits a straight line by ordinary least squares. Days are assumed to be independent around it.
import { slopeChance } from './predictive.js';
import { type Day, type Fitted, knownAmounts, sumOfAll, sumOfSquares } from './series.js';

export interface Line extends Fitted {
  /** Change per day. */
  readonly slope: number;
  /** Standard error of the slope. */
  readonly error: number;
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
    variance(weights) {
      const reach = sumOfAll(weights.map((weight, index) => weight * (last + 1 + index - meanTime)));
      return variance * (sumOfSquares(weights) + sumOfAll(weights) ** 2 / count + reach ** 2 / spread);
    },
    degrees,
    parameters: { slope, firstDay: at(0) },
    slope,
    error,
    chance: slopeChance(slope, error, degrees),
  };
}
