// Plans what thawing would cost and how long it would take in each tier. Pure.
import {
  estimateRetrieval,
  mustThaw,
  type RetrievalChunk,
  type RetrievalEstimate,
  type RetrievalOptions,
} from '../../cost/retrieval-cost.js';
import { usageError } from '../../platform/failures/errors.js';
import type { ThawTier } from '../../store/object-store.js';
import { EXPEDITED_LIMIT_BYTES, THAW_TIERS, type ThawWait, waitOf } from '../../store/cold-class.js';

const HOUR_MS = 3_600_000;

export interface TierPlan {
  readonly tier: ThawTier;
  readonly wait: ThawWait;
  /** When everything is readable at the latest, if it is requested now. */
  readonly readyBy: Date;
  readonly estimate: RetrievalEstimate;
}

/**
 * Returns the longest wait of the chunks that must be thawed; undefined when there is none, null when one cannot be thawed in this tier.
 */
export function longestWait(chunks: readonly RetrievalChunk[], tier: ThawTier): ThawWait | null | undefined {
  let longest: ThawWait | undefined;
  for (const { storageClass, sizeBytes } of chunks.filter(mustThaw)) {
    const wait = waitOf(storageClass, tier, sizeBytes);
    if (wait === null) return null;
    if (longest === undefined || wait.maxHours > longest.maxHours) longest = wait;
  }
  return longest;
}

/** Returns one plan for each tier that is offered for all cold chunks; none when nothing must be thawed. */
export function tierPlans(
  chunks: readonly RetrievalChunk[],
  { now, ...options }: Omit<RetrievalOptions, 'chunks' | 'tier'> & { readonly now: Date },
): readonly TierPlan[] {
  return THAW_TIERS.flatMap((tier) => {
    const wait = longestWait(chunks, tier);
    if (wait === null || wait === undefined) return [];
    const readyBy = new Date(now.getTime() + wait.maxHours * HOUR_MS);
    return [{ tier, wait, readyBy, estimate: estimateRetrieval({ ...options, chunks, tier }) }];
  });
}

/** Refuses a tier that is not offered. @throws usage when one of the chunks cannot be thawed in this tier */
export function refuseTier(chunks: readonly RetrievalChunk[], tier: ThawTier): void {
  const refused = chunks
    .filter(mustThaw)
    .find(({ storageClass, sizeBytes }) => waitOf(storageClass, tier, sizeBytes) === null);
  if (refused === undefined) return;
  const { storageClass, sizeBytes } = refused;
  const isTooLarge = waitOf(storageClass, tier) !== null;
  const why = isTooLarge
    ? `chunks of ${EXPEDITED_LIMIT_BYTES / 1e6} MB or more, and one has ${Math.round(sizeBytes / 1e6)} MB`
    : `${storageClass}, where chunks that are needed lie`;
  throw usageError(
    `--tier ${tier} is not offered for ${why}; nothing was requested`,
    'use --tier standard or --tier bulk',
  );
}
