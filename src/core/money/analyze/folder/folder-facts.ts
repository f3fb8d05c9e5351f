// What is in a folder by age and by owner.
import type { AccountNames } from '../../../format/manifest/entry-line.js';
import { displayPath } from '../../../platform/paths/raw-path.js';
import type { FileRows } from './file-rows.js';
import { NOTHING, plus, type Sums } from './sums.js';

/** First ages of the classes, in days. */
const AGES = [0, 30, 90, 180, 365, 2 * 365, 5 * 365];

export interface AgeBand {
  readonly fromDays: number;
  /** Null for the last. */
  readonly untilDays: number | null;
  readonly files: number;
  readonly bytes: number;
}

export interface Owner extends Sums {
  readonly uid: number;
  /** Null where this computer has no name for the number. */
  readonly user: string | null;
}

export interface FolderFacts {
  readonly ages: readonly AgeBand[];
  /** The one with the most bytes first. */
  readonly owners: readonly Owner[];
}

/** Adds up the rows of a scan by age and by owner. */
export function folderFacts(files: FileRows, names: AccountNames): FolderFacts {
  const { uid } = files.table.columns;
  const ages = AGES.map(() => ({ files: 0, bytes: 0 }));
  const byUid = new Map<number, Sums>();
  files.each((row) => {
    const sums = files.sums(row);
    const band = ages[AGES.findLastIndex((from) => sums.newestDays >= from)];
    if (band !== undefined) {
      band.files++;
      band.bytes += sums.bytes;
    }
    const owner = uid[row] ?? 0;
    byUid.set(owner, plus(byUid.get(owner) ?? NOTHING, sums));
  });
  return {
    ages: ages.map((sum, index) => ({ fromDays: AGES[index] ?? 0, untilDays: AGES[index + 1] ?? null, ...sum })),
    owners: Array.from(byUid, ([number, sums]) => {
      const user = names.user(number);
      return { uid: number, user: user === undefined ? null : displayPath(user), ...sums };
    }).sort((a, b) => b.bytes - a.bytes),
  };
}
