// Whether what was read adds up to what was announced: a reader that missed something, or was given something else, notices.
import { integrityError } from '../../platform/failures/errors.js';
import type { Entry, Totals } from '../../format/manifest/manifest-types.js';
import type { MergedView } from './merged-view.js';

/** What entries add up to, in words. */
export const ENTRY_TOTALS = {
  entries: 'entries',
  files: 'files',
  directories: 'directories',
  symlinks: 'symbolic links',
  hardlinks: 'hard links',
  bytes: 'bytes',
} as const;

/** Counts entries as they go by. */
export class EntrySums {
  private entries = 0;
  private directories = 0;
  private symlinks = 0;
  private hardlinks = 0;
  private bytes = 0;
  private foreign = 0;

  add({ type, size }: Entry): void {
    this.entries++;
    if (type === 'directory') {
      this.directories++;
      return;
    }
    if (type === 'symlink') this.symlinks++;
    else if (type === 'hardlink') this.hardlinks++;
    this.bytes += size;
  }

  /** An entry of an unknown type: it is counted, and nobody knows what else it counts as. */
  addForeign(): void {
    this.foreign++;
  }

  /** Of the entries whose type is known. */
  get totals(): Pick<Totals, keyof typeof ENTRY_TOTALS> {
    const { entries, directories, symlinks, hardlinks, bytes } = this;
    return { entries, files: entries - directories, directories, symlinks, hardlinks, bytes };
  }

  /** Call after the last entry, of the `what` that a manifest has. @throws integrity where something is not as announced */
  assertAnnounced(said: Totals, what: 'listing' | 'view', manifestKey: string): void {
    const { totals, foreign } = this;
    const found = { ...totals, entries: totals.entries + foreign };
    for (const [key, words] of Object.entries(ENTRY_TOTALS) as [keyof typeof ENTRY_TOTALS, string][]) {
      if (foreign > 0 && key !== 'entries') return;
      if (said[key] !== found[key])
        throw integrityError(
          `the manifest ${manifestKey} states a ${what} of ${said[key]} ${words}, but the ${what} has ${found[key]}: its totals are wrong`,
        );
    }
  }
}

/** The same view; its entries throw integrity at their end where they are not what `totals` announce. */
export const announced = (view: MergedView, totals: Totals, manifestKey: string): MergedView => ({
  chunks: view.chunks,
  async *entries(onForeign) {
    const sums = new EntrySums();
    const toldOf: typeof onForeign =
      onForeign &&
      ((entry) => {
        sums.addForeign();
        onForeign(entry);
      });
    for await (const batch of view.entries(toldOf)) {
      for (const entry of batch) sums.add(entry);
      yield batch;
    }
    sums.assertAnnounced(totals, 'view', manifestKey);
  },
});
