// Dates at which versions were stored, by the store's clock. Dates from writers depend on their clocks, or are what somebody wants them to
// be.
import type { ListedVersion } from './versions.js';

/** From this difference on, the date of a writer and that of the store are shown side by side. */
export const DATES_DIFFER_MS = 86_400_000;

/**
 * Dates by the key of the record. A record is written again when its manifest is (compaction, balance, repair), and looks younger from then
 * on; but a version with a higher number came after it, and so limits how young it can be.
 */
export function storedDates(
  versions: readonly Pick<ListedVersion, 'key' | 'version' | 'lastModified'>[],
): ReadonlyMap<string, Date> {
  const dates = new Map<string, Date>();
  let above: Date | undefined;
  let least: Date | undefined;
  let ordinal: number | undefined;
  for (const { key, version, lastModified } of versions.toSorted((a, b) => b.version - a.version)) {
    // Versions that share an ordinal say nothing about each other.
    if (version !== ordinal) above = least;
    ordinal = version;
    const date: Date = above !== undefined && above < lastModified ? above : lastModified;
    dates.set(key, date);
    if (least === undefined || date < least) least = date;
  }
  return dates;
}
