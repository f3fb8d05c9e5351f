// What restoring the marked files costs and how long it takes, before anybody is asked: list prices over the chunks that
// hold them. What nobody knows the price of is unknown, and never free.
import { capVerdict, type CapVerdict } from '../../core/cost/cost-cap.js';
import { estimateRetrieval, type RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import type { ThawTier } from '../../core/object-store/object-store.js';
import { isColdClass, THAW_TIERS, type ThawWait } from '../../core/cost/cold-class.js';
import { longestWait } from '../../core/thaw/tier-plans.js';
import type { Marks } from './marks.js';

/** Where prices come from. */
export interface CostPlace {
  readonly region: string | undefined;
  readonly isAws: boolean;
  /** A folder of this computer: nothing costs anything. */
  readonly isFolder: boolean;
  /** Days that thawed copies are kept. */
  readonly days: number;
}

export interface SelectionCost {
  readonly estimate: RetrievalEstimate;
  /** Chunks that have to be asked back. */
  readonly coldChunks: number;
  /** The longest wait; undefined where nothing is cold, null where the tier is not offered for something. */
  readonly wait: ThawWait | null | undefined;
}

/** Cost and waiting time of the marked files in this tier. */
export function selectionCost(
  marks: Marks,
  tier: ThawTier,
  { region, isAws, isFolder, days }: CostPlace,
): SelectionCost {
  const classes = marks.classes;
  const estimate = estimateRetrieval({
    chunks: classes.map(({ storageClass, chunks, storedBytes, fetchedBytes }) => ({
      sizeBytes: storedBytes,
      storageClass,
      isReadable: false,
      fetchedBytes,
      gets: chunks,
      objects: chunks,
    })),
    region,
    isAws,
    isFolder,
    tier,
    days,
  });
  const coldChunks = classes.reduce(
    (sum, { storageClass, chunks }) => sum + (isColdClass(storageClass) ? chunks : 0),
    0,
  );
  return { estimate, coldChunks, wait: waitIn(marks, tier) };
}

/** Whether the cost is under the cap. */
export const costVerdict = ({ estimate, coldChunks }: SelectionCost, maxUsd: number | undefined): CapVerdict =>
  capVerdict(estimate, maxUsd, coldChunks > 0);

/** The tier after this one, of those that are offered for everything that is marked. */
export function nextTier(marks: Marks, tier: ThawTier): ThawTier {
  const offered = THAW_TIERS.filter((candidate) => waitIn(marks, candidate) !== null);
  return offered[(offered.indexOf(tier) + 1) % offered.length] ?? tier;
}

/** The largest chunk of a class decides: some tiers are not offered for large objects. */
const waitIn = (marks: Marks, tier: ThawTier): ThawWait | null | undefined =>
  longestWait(
    marks.classes.map(({ storageClass, largestBytes }) => ({
      storageClass,
      sizeBytes: largestBytes,
      isReadable: false,
    })),
    tier,
  );
