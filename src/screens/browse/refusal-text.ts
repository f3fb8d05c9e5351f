import { type BrowseState, chosenIn } from '../../stores/browse/browse-state.js';
import { refusalOf, selectionCost } from '../../stores/browse/cost.js';
import { formatUsd } from '../../ui/format-usd.js';

/** The reason why the marked files cannot be restored now; undefined when they can. */
export function refusalText(state: BrowseState): string | undefined {
  const { tier, settings } = state;
  const { marks } = chosenIn(state);
  const refusal = refusalOf(marks, tier, settings);
  if (refusal === undefined) return undefined;
  switch (refusal) {
    case 'not-offered':
      return `the ${tier} tier is not offered for all of this: t changes it`;
    case 'unknown':
      return 'the cost is not known, and --max-restore-cost is given';
    case 'over': {
      const { estimate } = selectionCost(marks, tier, settings.cost);
      return `${formatUsd(estimate.costUsd)} is more than --max-restore-cost ${formatUsd(settings.maxCostUsd ?? 0)}`;
    }
    default:
      return refusal satisfies never;
  }
}
