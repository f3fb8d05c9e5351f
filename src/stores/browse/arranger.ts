// Searches and sorts files in slices, between keys. One such job runs at a time; a new one cancels the one before it.
import type { BrowseState } from './browse-state.js';
import { type Order, orderFiles, type Sort } from './order.js';
import { withVisible } from './rows.js';
import { type BrowseFilter, isNarrower, Search } from './search.js';

/** Time in milliseconds that a job runs before keys are handled. */
const SLICE_MS = 8;
/** Interval in milliseconds at which partial results are shown: a frame costs as much as a slice. */
const SHOWN_EVERY_MS = 100;

/** The selection of files and their order. */
export interface Arrangement {
  readonly filter: BrowseFilter;
  readonly sort: Sort;
}

/** Returns a function that arranges the files of the state anew. */
export function arranger(
  get: () => BrowseState,
  set: (change: Partial<BrowseState>) => void,
  now: () => number,
): (wanted: Arrangement) => void {
  /** The filter for which `visible` is complete. */
  let complete: { readonly filter: BrowseFilter; readonly files: Uint32Array } | undefined;
  let known: Order | undefined;
  let running: object | undefined;

  function* work({ filter, sort }: Arrangement, search: Search): Generator<undefined> {
    const { files, opened } = get();
    while (!search.isDone) {
      search.run(() => true);
      yield;
    }
    complete = { filter, files };
    const isKnown = known?.sort === sort && known.of === opened.listing;
    if (sort !== 'name' && !isKnown) known = yield* orderFiles(opened.listing, files, sort);
  }

  return ({ filter, sort }) => {
    const { files, opened, visible } = get();
    const isHeld = complete?.files === files && isNarrower(complete.filter, filter) && !get().isSearching;
    const search = new Search(opened.listing, filter, isHeld ? visible : files);
    const job = work({ filter, sort }, search);
    running = job;
    set({ filter, sort, isSearching: true });
    let shownMs = -Infinity;
    const slice = (): void => {
      if (running !== job) return;
      const start = now();
      let isDone = job.next().done === true;
      while (!isDone && now() < start + SLICE_MS) isDone = job.next().done === true;
      if (isDone) {
        const order = sort === 'name' ? undefined : known;
        return set({ ...withVisible(get(), search.result, order), isSearching: false });
      }
      // A tree, or another order, is built once, when the search is complete.
      if (get().tree === undefined && sort === 'name' && start - shownMs >= SHOWN_EVERY_MS) {
        shownMs = start;
        set(withVisible(get(), search.result, undefined));
      }
      setImmediate(slice);
    };
    slice();
  };
}
