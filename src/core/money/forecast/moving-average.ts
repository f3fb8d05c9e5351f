// The days to come are as the last week was. The noise is learned from how well each day followed from those before it.
import { type Day, type Fitted, knownOf } from './series.js';

/** A week, so that weekends weigh the same on every day. */
const WINDOW = 7;

/** The mean of the last week, or of half the known days where they are fewer than two weeks. */
export function movingAverage(series: readonly Day[]): Fitted {
  const values = knownOf(series).map(({ value }) => value);
  const window = Math.min(WINDOW, Math.floor(values.length / 2));
  const meanBefore = (end: number): number =>
    values.slice(end - window, end).reduce((sum, value) => sum + value, 0) / window;
  const misses = values.slice(window).map((value, index) => value - meanBefore(window + index));
  // A miss has the noise of its own day and that of a mean of `window` days.
  const variance = misses.reduce((sum, miss) => sum + miss ** 2, 0) / misses.length / (1 + 1 / window);
  const level = meanBefore(values.length);
  return {
    day: () => level,
    sumVariance: (days) => variance * (days + days ** 2 / window),
    degrees: misses.length,
    parameters: { window, level },
  };
}
