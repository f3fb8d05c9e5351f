// Which storage classes must be asked back before they can be read, and how long that takes. Times are those of AWS
// (S3 user guide, "Understanding archive retrieval options").
import type { ThawTier } from '../object-store/object-store.js';

/** The tiers from fast and dear to slow and cheap. */
export const THAW_TIERS: readonly ThawTier[] = ['expedited', 'standard', 'bulk'];

export interface ThawWait {
  /** 0 where only a maximum is promised. */
  readonly minHours: number;
  readonly maxHours: number;
  /** As a person reads it: `3-5 h`. */
  readonly text: string;
}

const WAITS: Readonly<Record<string, Readonly<Record<ThawTier, ThawWait | null>> | undefined>> = {
  GLACIER: {
    expedited: { minHours: 1 / 60, maxHours: 5 / 60, text: '1-5 min' },
    standard: { minHours: 3, maxHours: 5, text: '3-5 h' },
    bulk: { minHours: 5, maxHours: 12, text: '5-12 h' },
  },
  DEEP_ARCHIVE: {
    expedited: null,
    standard: { minHours: 0, maxHours: 12, text: 'within 12 h' },
    bulk: { minHours: 0, maxHours: 48, text: 'within 48 h' },
  },
};
/** Expedited retrieval promises nothing for objects as large as this. */
export const EXPEDITED_LIMIT_BYTES = 250_000_000;

/** True for classes whose objects are read only after they were asked back. */
export const isColdClass = (storageClass: string): boolean => WAITS[storageClass] !== undefined;

/** How long an object of a cold class takes; null where the tier is not offered, and for classes that are not cold. */
export function waitOf(storageClass: string, tier: ThawTier, sizeBytes = 0): ThawWait | null {
  if (tier === 'expedited' && sizeBytes >= EXPEDITED_LIMIT_BYTES) return null;
  return WAITS[storageClass]?.[tier] ?? null;
}
