// Which storage classes must be asked back before they can be read, and how long that takes. Times are those of AWS
// (S3 user guide, "Understanding archive retrieval options").
import type { ThawTier } from './object-store.js';

/** The tiers from fast and dear to slow and cheap. */
export const THAW_TIERS: readonly ThawTier[] = ['expedited', 'standard', 'bulk'];

export interface ThawWait {
  readonly maxHours: number;
  /** As a person reads it: `3-5 h`. */
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

/** Objects of this class keep its name in its archive tiers; here they go by both names. */
export const TIERING_CLASS = 'INTELLIGENT_TIERING';

/** The class of an object with the tier that it lies in, where that is an archive. */
export const classInTier = (storageClass: string, archiveTier: string | undefined): string =>
  archiveTier === undefined ? storageClass : `${storageClass}/${archiveTier}`;

/** The class that an object is stored and billed by. */
export const classOnly = (storageClass: string): string => storageClass.split('/', 1)[0] ?? '';

/** False where an object that is asked back moves to a readable tier for good, instead of leaving a copy for some days. */
export const keepsCopy = (storageClass: string): boolean => classOnly(storageClass) !== TIERING_CLASS;

/** Expedited retrieval promises nothing for objects as large as this. */
export const EXPEDITED_LIMIT_BYTES = 250_000_000;

/** True for classes whose objects are read only after they were asked back. */
export const isColdClass = (storageClass: string): boolean => WAITS.has(storageClass);

/** How long an object of a cold class takes; null where the tier is not offered, and for classes that are not cold. */
export function waitOf(storageClass: string, tier: ThawTier, sizeBytes = 0): ThawWait | null {
  if (tier === 'expedited' && sizeBytes >= EXPEDITED_LIMIT_BYTES) return null;
  return WAITS.get(storageClass)?.[tier] ?? null;
}
