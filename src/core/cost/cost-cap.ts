// The cap on the cost of getting content back. It fails closed: a cost without a known price is not under any cap.
import { ArchiverError } from '../platform/failures/errors.js';
import { microsOf } from './money.js';
import type { RetrievalEstimate } from './retrieval-cost.js';

export type CapVerdict = 'within' | 'over' | 'unknown';

/**
 * Compares an estimate with the cap in USD; exactly the cap is within it. Without a price list a cap cannot be kept for chunks that must be
 * thawed, and does not apply to the rest.
 */
export function capVerdict(estimate: RetrievalEstimate, maxUsd: number | undefined, mustThaw: boolean): CapVerdict {
  const { costUsd, region } = estimate;
  if (maxUsd === undefined) return 'within';
  if (costUsd === null) return region === null && !mustThaw ? 'within' : 'unknown';
  return microsOf(costUsd) > microsOf(maxUsd) ? 'over' : 'within';
}

/**
 * Refuses a cost that is not within the cap; `hintFor` returns what to do about it. @throws budget-exceeded unless the verdict is `within`
 */
export function refuseCost(
  estimate: RetrievalEstimate,
  maxUsd: number | undefined,
  mustThaw: boolean,
  hintFor: (costUsd: number) => string = () =>
    'see the cost of every tier with --dry-run; raise --max-restore-cost, or take --tier bulk',
): void {
  const verdict = capVerdict(estimate, maxUsd, mustThaw);
  if (verdict === 'within' || maxUsd === undefined) return;
  if (verdict === 'over') {
    const costUsd = estimate.costUsd ?? 0;
    throw new ArchiverError(
      'budget-exceeded',
      `this would cost ${exactUsd(costUsd)}, and --max-restore-cost allows ${exactUsd(maxUsd)}; nothing was asked for`,
      { hint: hintFor(costUsd) },
    );
  }
  const where = estimate.region === null ? 'of a store that is not AWS' : `in ${estimate.region}`;
  throw new ArchiverError(
    'budget-exceeded',
    `what this costs is not known (there is no price ${where}), so --max-restore-cost ${exactUsd(maxUsd)} cannot be kept; nothing was asked for`,
    { hint: 'leave --max-restore-cost out to restore at an unknown price' },
  );
}

/** Formats an amount to the micro-dollar, as it is compared with the cap: `$8.12`, `$0.000413`. */
const exactUsd = (usd: number): string => `$${(microsOf(usd) / 1e6).toFixed(6).replace(/0{1,4}$/, '')}`;
