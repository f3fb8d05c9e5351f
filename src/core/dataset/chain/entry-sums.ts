// Checks that the entries read add up to the stated totals, so that a reader notices when it missed some or was given others.
import { integrityError } from '../../platform/failures/errors.js';
import type { Entry, SegmentPlace, Totals } from '../../format/manifest/manifest-types.js';
import { batchesOf, type EntryBatch, type ForeignSink, type MergedView } from './merged-view.js';
import { isRows } from '../../format/rows/row-lines.js';

/** Names of the totals in messages. */
export const ENTRY_TOTALS = {
  entries: 'entries',
  files: 'files',
  directories: 'directories',
  symlinks: 'symbolic links',
  hardlinks: 'hard links',
  bytes: 'bytes',
} as const;

/** Adds up entries as they are read. */
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

  /** Adds so many files, of so many bytes together, and folders. */
  addFiles({ files, directories, bytes }: Pick<SegmentPlace['counts'], 'files' | 'directories' | 'bytes'>): void {
    this.entries += files + directories;
    this.directories += directories;
    this.bytes += bytes;
  }

  /** Adds entries that are not read. */
  addCounts(counts: SegmentPlace['counts']): void {
    this.entries += counts.entries;
    this.directories += counts.directories;
    this.symlinks += counts.symlinks;
    this.hardlinks += counts.hardlinks;
    this.bytes += counts.bytes;
  }

  /** Counts an entry of an unknown type: which of the other totals include it is not known. */
  addForeign(): void {
    this.foreign++;
  }

  /** Totals of the entries whose type is known. */
  get totals(): Pick<Totals, keyof typeof ENTRY_TOTALS> {
    const { entries, directories, symlinks, hardlinks, bytes } = this;
    return { entries, files: entries - directories, directories, symlinks, hardlinks, bytes };
  }

  /** Compares the sums with the totals of the manifest's `what`; call it after the last entry. @throws integrity when they differ */
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

/** The same view, whose entries end with an integrity error when they and those of `leftOut` do not add up to `totals`. */
export function withCheckedTotals(
  view: MergedView,
  totals: Totals,
  manifestKey: string,
  leftOut: readonly SegmentPlace[] = [],
): MergedView {
  type Read<T extends EntryBatch> = (onForeign?: ForeignSink, ahead?: number) => AsyncIterable<T>;
  const checked = <T extends EntryBatch>(read: Read<T>): Read<T> =>
    async function* (onForeign, ahead) {
      const sums = new EntrySums();
      for (const { counts } of leftOut) sums.addCounts(counts);
      const countForeign: typeof onForeign =
        onForeign &&
        ((entry) => {
          sums.addForeign();
          onForeign(entry);
        });
      for await (const batch of read(countForeign, ahead)) {
        const of: EntryBatch = batch;
        if (isRows(of)) sums.addFiles(of);
        else for (const entry of of) sums.add(entry);
        yield batch;
      }
      sums.assertAnnounced(totals, 'view', manifestKey);
    };
  return {
    chunks: view.chunks,
    entries: checked((onForeign) => view.entries(onForeign)),
    batches: checked((onForeign, ahead) => batchesOf(view, onForeign, ahead)),
  };
}
