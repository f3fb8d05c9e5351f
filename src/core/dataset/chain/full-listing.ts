// Decides when a writer of changes lists everything instead of a delta (rules.md#full-listings). The first version is a full listing
// anyway, and so is every version of a writer without permission to list.
import type { View } from './view.js';

const MAX_DELTAS = 8;
/** Share of the entries of the last full listing. */
const MAX_SHARE = 0.25;

/** True when one more delta of `count` mentions would make the deltas on the last full listing too many or too large. */
export function isFullListingDue({ head, chain }: View, count: number): boolean {
  const { deltas, entries } = head.chain ?? { deltas: 0, entries: 0 };
  const full = chain.at(-1)?.head.totals.entries ?? 0;
  return deltas + 1 > MAX_DELTAS || entries + count > full * MAX_SHARE;
}
