// Which folders are best archived: those that are nearly all old, ranked by how much of it there is and how old it is. What is in a folder that
// is named is not named again, so that shares add up and an upload of all of them holds nothing twice.
import { type RawPath } from '../../../platform/paths/raw-path.js';
import { type FolderTree, ROOT } from './folder-tree.js';
import type { Sums } from './sums.js';

/** A folder is archived as a whole if at least this share of its bytes is old. */
export const MOSTLY_OLD = 0.9;

/** A folder with all that is below, or the files in one. */
export interface PlaceSums extends Sums {
  readonly path: RawPath;
  /** False for the files in a folder, without the folders in it. */
  readonly isWhole: boolean;
}

/** Returns the hottest first; the folder that was scanned is taken apart even if all of it is old. */
export function hotFolders(tree: FolderTree): readonly PlaceSums[] {
  const found: PlaceSums[] = [];
  const look = (folder: number): void => {
    const sums = tree.sums(folder);
    if (sums.oldBytes === 0) return;
    const path = tree.path(folder);
    if (folder !== ROOT && sums.oldBytes >= MOSTLY_OLD * sums.bytes) {
      found.push({ path, isWhole: true, ...sums });
      return;
    }
    const own = tree.ownSums(folder);
    if (own.oldBytes > 0) found.push({ path, isWhole: false, ...own });
    for (const below of tree.folders(folder)) look(below);
  };
  look(ROOT);
  return found.sort((a, b) => b.heat - a.heat);
}

/** Returns the folders right in the one that was scanned, and what lies beside them, the largest first. */
export function largestFolders(tree: FolderTree): readonly PlaceSums[] {
  const own = tree.ownSums(ROOT);
  const below = tree.folders(ROOT).map((folder) => ({ path: tree.path(folder), isWhole: true, ...tree.sums(folder) }));
  return [...below, ...(own.files > 0 ? [{ path: tree.path(ROOT), isWhole: false, ...own }] : [])].sort(
    (a, b) => b.bytes - a.bytes,
  );
}
