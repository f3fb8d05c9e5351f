// Estimates the cost and the duration of restoring the marked files, before confirmation: list prices for the chunks that hold them. A cost
// whose price is not known is unknown, and never free.
import { capVerdict, type CapVerdict } from '../../core/cost/cost-cap.js';
import {
  estimateRetrieval,
  type RetrievalEstimate,
  type RetrievalItem,
  type RetrievalOptions,
} from '../../core/cost/retrieval-cost.js';
import type { ThawTier } from '../../core/store/object-store.js';
import { isColdClass, THAW_TIERS, type ThawWait } from '../../core/store/cold-class.js';
import { longestWait } from '../../core/restore/thaw/tier-plans.js';
import type { Marks } from './marks.js';

/** The source of prices. */
export interface CostPlace extends Pick<RetrievalOptions, 'region' | 'isAws' | 'provider' | 'book'> {
  /** Set for a folder of this computer: nothing costs anything. */
  readonly isFolder: boolean;
  /** Days that thawed copies are kept. */
  readonly days: number;
}

/** The options of the command that matter here. */
export interface BrowseSettings {
  /** The folder as it was typed. */
  readonly outputDir: string;
  readonly wait: boolean;
  /** Undefined for no cap. */
  readonly maxCostUsd: number | undefined;
  readonly cost: CostPlace;
  /** Says whose prices an estimate is made of, or which setting states them. */
  readonly pricesText: (estimate: RetrievalEstimate) => string;
}

export interface SelectionCost {
  readonly estimate: RetrievalEstimate;
  /** Number of chunks that have to be thawed. */
  readonly coldChunks: number;
  /** The longest wait; undefined when nothing is cold, null when the tier is not offered for something. */
  readonly wait: ThawWait | null | undefined;
}

/** Cost and waiting time of the marked files in this tier. */
export function selectionCost(marks: Marks, tier: ThawTier, place: CostPlace): SelectionCost {
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
    ...place,
    ownPricesOnly: true,
    tier,
  });
  const coldChunks = classes.reduce(
    (sum, { storageClass, chunks }) => sum + (isColdClass(storageClass) ? chunks : 0),
    0,
  );
  return { estimate, coldChunks, wait: waitIn(marks, tier) };
}

/** Compares the cost with the cap. */
export const costVerdict = ({ estimate, coldChunks }: SelectionCost, maxUsd: number | undefined): CapVerdict =>
  capVerdict(estimate, maxUsd, coldChunks > 0);

/** The reason why the marked files cannot be restored in this tier and under this cap. */
export type Refusal = 'not-offered' | 'unknown' | 'over';

/** Checks tier and cap; undefined when the files can be restored. */
export function refusalOf(marks: Marks, tier: ThawTier, { cost, maxCostUsd }: BrowseSettings): Refusal | undefined {
  const selection = selectionCost(marks, tier, cost);
  if (selection.wait === null) return 'not-offered';
  const verdict = costVerdict(selection, maxCostUsd);
  return verdict === 'within' ? undefined : verdict;
}

/** The cost of the marked files in one tier. */
export interface TierRow {
  /** Undefined when nothing has to be thawed. */
  readonly tier: ThawTier | undefined;
  /** Hours until all of it can be read, at the latest; null when the tier is not offered. */
  readonly hours: number | null;
  /** Parts of the total, each null when it is not known. */
  readonly parts: Readonly<Record<RetrievalItem, number | null>>;
  readonly totalUsd: number | null;
  readonly pricesText: string;
  readonly isOverCap: boolean;
}

/** A row for each tier; a single one when no marked file is cold. */
export function tierRows(marks: Marks, { cost, maxCostUsd, pricesText }: BrowseSettings): readonly TierRow[] {
  const row = (tier: ThawTier, isCold: boolean): TierRow => {
    const selection = selectionCost(marks, tier, cost);
    const part = (wanted: RetrievalItem): number | null =>
      selection.estimate.lines.find(({ item }) => item === wanted)?.costUsd ?? null;
    return {
      tier: isCold ? tier : undefined,
      hours: selection.wait === null ? null : (selection.wait?.maxHours ?? 0),
      parts: {
        retrieval: part('retrieval'),
        requests: part('requests'),
        temporaryCopy: part('temporaryCopy'),
        transfer: part('transfer'),
      },
      totalUsd: selection.estimate.costUsd,
      pricesText: pricesText(selection.estimate),
      isOverCap: selection.wait !== null && costVerdict(selection, maxCostUsd) !== 'within',
    };
  };
  return marks.coldFiles === 0 ? [row('standard', false)] : THAW_TIERS.map((tier) => row(tier, true));
}

/** The tier after or before this one, among those offered for everything that is marked. */
export function nextTier(marks: Marks, tier: ThawTier, step: -1 | 1): ThawTier {
  const offered = THAW_TIERS.filter((candidate) => waitIn(marks, candidate) !== null);
  const at = offered.indexOf(tier);
  if (at < 0) return offered.at(step < 0 ? -1 : 0) ?? tier;
  return offered[(at + step + offered.length) % offered.length] ?? tier;
}

/** The wait for the marked files. The largest chunk of a class decides: some tiers are not offered for large objects. */
const waitIn = (marks: Marks, tier: ThawTier): ThawWait | null | undefined =>
  longestWait(
    marks.classes.map(({ storageClass, largestBytes }) => ({
      storageClass,
      sizeBytes: largestBytes,
      isReadable: false,
    })),
    tier,
  );
