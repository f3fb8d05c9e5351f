// Runs the searches of the browser, a slice between keys.
import { type BrowseFilter, isNarrower, Search } from './search.js';
import { type BrowseView, withVisible } from './browse-state.js';

/** A search goes on this long before keys are looked at. */
const SLICE_MS = 10;

/** Runs searches one at a time; a new one ends the one before it. */
export function searcher(
  get: () => BrowseView,
  set: (change: Partial<BrowseView>) => void,
  now: () => number,
): (filter: BrowseFilter) => void {
  /** What `visible` is complete for. */
  let complete: { readonly filter: BrowseFilter; readonly files: Uint32Array } | undefined;
  let running: Search | undefined;
  return (filter) => {
    const { files, opened, visible } = get();
    const isHeld = complete?.files === files && isNarrower(complete.filter, filter) && !get().isSearching;
    const search = new Search(opened.listing, filter, isHeld ? visible : files);
    running = search;
    set({ filter, isSearching: true });
    const slice = (): void => {
      if (running !== search) return;
      const end = now() + SLICE_MS;
      search.run(() => now() >= end);
      if (search.isDone) complete = { filter, files };
      // The tree is built once, when all is found.
      if (search.isDone || get().tree === undefined)
        set({ ...withVisible(get(), search.result), isSearching: !search.isDone });
      if (!search.isDone) setImmediate(slice);
    };
    slice();
  };
}
