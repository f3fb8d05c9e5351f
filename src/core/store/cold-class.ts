// Knows which storage classes must be restored before objects can be read, and how long that takes. Times are those of AWS (S3 user guide,
// "Understanding archive retrieval options").
import type { ThawTier } from './object-store.js';

/** The tiers from fast and expensive to slow and cheap. */
export const THAW_TIERS: readonly ThawTier[] = ['expedited', 'standard', 'bulk'];

export interface ThawWait {
  readonly maxHours: number;
  /** Text for people: `3-5 h`. */
  readonly text: string;
}

type Waits = Readonly<Record<ThawTier, ThawWait | null>>;

const ARCHIVE: Waits = {
  expedited: { maxHours: 5 / 60, text: '1-5 min' },
  standard: { maxHours: 5, text: '3-5 h' },
  bulk: { maxHours: 12, text: '5-12 h' },
};
const DEEP: Waits = {
  expedited: null,
  standard: { maxHours: 12, text: 'within 12 h' },
  bulk: { maxHours: 48, text: 'within 48 h' },
};
const WAITS = new Map<string, Waits>([
  ['GLACIER', ARCHIVE],
  ['DEEP_ARCHIVE', DEEP],
  ['INTELLIGENT_TIERING/ARCHIVE_ACCESS', ARCHIVE],
  ['INTELLIGENT_TIERING/DEEP_ARCHIVE_ACCESS', DEEP],
]);

/** Class whose objects keep its name in its archive tiers; the classes here are named by both. */
export const TIERING_CLASS = 'INTELLIGENT_TIERING';

/** Returns the class of an object with its archive tier, if it lies in one. */
export const classInTier = (storageClass: string, archiveTier: string | undefined): string =>
  archiveTier === undefined ? storageClass : `${storageClass}/${archiveTier}`;

/** Returns the class that an object is stored and billed by. */
export const classOnly = (storageClass: string): string => storageClass.split('/', 1)[0] ?? '';

/** Whether a restore leaves a readable copy for some days; otherwise the object moves to a readable tier for good. */
export const keepsCopy = (storageClass: string): boolean => classOnly(storageClass) !== TIERING_CLASS;

/** Expedited retrieval is not guaranteed for objects of this size or larger. */
export const EXPEDITED_LIMIT_BYTES = 250_000_000;

/** Whether objects of this class can only be read after they were restored. */
export const isColdClass = (storageClass: string): boolean => WAITS.has(storageClass);

/** Returns how long a restore from a cold class takes; null if the tier is not offered, and for classes that are not cold. */
export function waitOf(storageClass: string, tier: ThawTier, sizeBytes = 0): ThawWait | null {
  if (tier === 'expedited' && sizeBytes >= EXPEDITED_LIMIT_BYTES) return null;
  return WAITS.get(storageClass)?.[tier] ?? null;
}
