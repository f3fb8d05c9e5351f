// When a writer of changes lists everything instead of a delta (commit protocol, rule 4). A first version, and one of a writer
// that may not list, is a full listing anyway.
import type { View } from './view.js';

const MAX_DELTAS = 8;
/** Of the entries of the last full listing. */
const MAX_SHARE = 0.25;

/** With one more delta of `count` mentions those on the last full listing become many, or large beside it. */
export function isFullDue({ head, chain }: View, count: number): boolean {
  const { deltas, entries } = head.chain ?? { deltas: 0, entries: 0 };
  const full = chain.at(-1)?.head.totals.entries ?? 0;
  return deltas + 1 > MAX_DELTAS || entries + count > full * MAX_SHARE;
}
