// The models together, each by how well it has forecast. Where they disagree, the doubt grows: the variance is that of a mix
// of their distributions.
import { meanSquareOf, type Tried } from './back-test.js';
import { expectedSum, type Fitted } from './series.js';

/** Shares that sum to 1, by the inverse of the mean square of what each missed; a model that missed nothing shares with no other. */
export function weightsOf(meanSquares: readonly number[]): readonly number[] {
  const least = Math.min(...meanSquares);
  // Relative to the least: the inverse itself has no end.
  const merits = meanSquares.map((square) => (square === least ? 1 : least / square));
  const total = merits.reduce((sum, merit) => sum + merit, 0);
  return merits.map((merit) => merit / total);
}

/** The mix of `models`; `weights` sum to 1. */
export function mixed(models: readonly Fitted[], weights: readonly number[]): Fitted {
  const average = (of: (model: Fitted) => number): number =>
    models.reduce((sum, model, index) => sum + (weights[index] ?? 0) * of(model), 0);
  return {
    day: (ahead) => average((model) => Math.max(0, model.day(ahead))),
    sumVariance(days) {
      const sum = average((model) => expectedSum(model, days));
      return average((model) => model.sumVariance(days) + (expectedSum(model, days) - sum) ** 2);
    },
    degrees: Math.min(...models.filter((_, index) => (weights[index] ?? 0) > 0).map(({ degrees }) => degrees)),
    parameters: {},
  };
}

/** What the ensemble would have forecast of the days that its models were tried on (the same days for each), with the weights that its models had earned by then. */
export function tryEnsemble(trials: readonly (readonly Tried[])[]): readonly Tried[] {
  const weightsBy = new Map<number, readonly number[]>();
  return (trials[0] ?? []).map((one, index) => {
    const { origin } = one;
    const weights = weightsBy.get(origin) ?? earnedWeights(trials, ({ time }) => time < origin);
    weightsBy.set(origin, weights);
    const expected = trials.reduce((sum, tried, at) => sum + (weights[at] ?? 0) * (tried[index]?.expected ?? 0), 0);
    return { ...one, expected };
  });
}

/** Weights by the days that `isSeen`; the same for all where there are none. */
export function earnedWeights(
  trials: readonly (readonly Tried[])[],
  isSeen: (tried: Tried) => boolean = () => true,
): readonly number[] {
  const seen = trials.map((tried) => tried.filter(isSeen));
  if (seen[0]?.length === 0) return seen.map(() => 1 / seen.length);
  return weightsOf(seen.map(meanSquareOf));
}
