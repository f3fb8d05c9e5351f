// When versions were stored, by the store's clock. Dates that writers note are what their clocks said, or what somebody wants
// them to say.
import type { ListedVersion } from './versions.js';

/** From here on, the date of a writer and that of the store are told side by side. */
export const DATES_DIFFER_MS = 86_400_000;

/**
 * By ordinal. A record is written again when its manifest is (compaction, balance, repair), and looks younger from then on; but a
 * version with a higher number came after it, and so says how old it is at least.
 */
export function storedDates(
  versions: readonly Pick<ListedVersion, 'version' | 'lastModified'>[],
): ReadonlyMap<number, Date> {
  const dates = new Map<number, Date>();
  let before: Date | undefined;
  for (const { version, lastModified } of versions.toSorted((a, b) => b.version - a.version)) {
    if (before === undefined || lastModified < before) before = lastModified;
    dates.set(version, before);
  }
  return dates;
}
