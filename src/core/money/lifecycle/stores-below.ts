// Finds stores in the folders of a bucket by the names of their subfolders: a rule for the bucket applies to all of them.
import { isWellFormedKey } from '../../store/ids/key-form.js';
import type { ObjectReader } from '../../store/object-store.js';

const OWN = new Set(['uploads', 'writers', 'datasets', 'fleet']);
/** Limit of listing pages, 1,000 names each. */
const MOST_PAGES = 1000;

export interface StoresBelow {
  /** Relative paths such as `lab` or `lab/2026`; '' is the top itself. */
  readonly places: readonly string[];
  /** False when there are more folders than were examined. */
  readonly isAll: boolean;
}

/** Searches the folders that `isWanted` accepts (`lab/`), upper levels first. @throws what the store says to a listing */
export async function storesBelow(
  store: ObjectReader,
  isWanted: (folder: string) => boolean,
  signal?: AbortSignal,
): Promise<StoresBelow> {
  const places: string[] = [];
  const waiting = [''];
  let pages = 0;
  for (const folder of waiting) {
    let isStore = false;
    for await (const { prefixes } of store.list({ prefix: folder, delimiter: '/', signal })) {
      if (++pages > MOST_PAGES) return { places, isAll: false };
      for (const below of prefixes) {
        if (OWN.has(below.slice(folder.length, -1))) isStore = true;
        else if (isWellFormedKey(below.slice(0, -1)) && isWanted(below)) waiting.push(below);
      }
    }
    if (isStore) places.push(folder.slice(0, -1));
  }
  return { places, isAll: true };
}
