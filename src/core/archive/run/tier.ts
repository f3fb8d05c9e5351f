// Chooses the storage class for `--auto-tier`, by the days since a file was last read.

export const TIERS = ['STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'] as const;
export type Tier = (typeof TIERS)[number];
export type TierStrategy = 'youngest-file' | 'tier-aware';

export interface TierPolicy {
  /** `youngest-file`: chunks are filled as always and take the class of their most recently read file.
   *  `tier-aware`: files of different classes never share a chunk. */
  readonly strategy: TierStrategy;
  readonly hotDays: number;
  readonly coldDays: number;
  readonly archiveDays: number;
  readonly max: Tier | undefined;
  readonly nowSeconds: number;
}

/**
 * Returns a position in `TIERS`: below `hotDays` STANDARD, below `coldDays` STANDARD_IA, below `archiveDays` GLACIER, otherwise
 * DEEP_ARCHIVE.
 */
export function tierOf(atimeSeconds: number, policy: TierPolicy): number {
  const days = (policy.nowSeconds - atimeSeconds) / 86400;
  const tier = days < policy.hotDays ? 0 : days < policy.coldDays ? 1 : days < policy.archiveDays ? 2 : 3;
  return policy.max === undefined ? tier : Math.min(tier, TIERS.indexOf(policy.max));
}
