// Searches and sorts files in slices, between keys. One such job runs at a time; a new one cancels the one before it.
import { errorText } from '../../core/platform/failures/errors.js';
import type { BrowseState } from './browse-state.js';
import { type Order, orderFiles, type Sort } from './order.js';
import { withVisible } from './rows.js';
import { type BrowseFilter, isNarrower, NO_FILTER, Search } from './search.js';

/** Time in milliseconds that a job runs before keys are handled. */
const SLICE_MS = 8;
/** Interval in milliseconds at which partial results are shown: a frame costs as much as a slice. */
const SHOWN_EVERY_MS = 100;

/** The selection of files and their order. */
export interface Arrangement {
  readonly filter: BrowseFilter;
  readonly sort: Sort;
}

export interface ArrangerTools {
  readonly get: () => BrowseState;
  readonly set: (change: Partial<BrowseState>) => void;
  /** Waits for the whole listing. */
  readonly load: { readonly whole: () => Promise<void> };
  readonly notify: (text: string) => void;
  readonly now: () => number;
}

/** Returns a function that arranges the files of the state anew, once all of them are known. */
export function arranger({ get, set, load, notify, now }: ArrangerTools): (wanted: Arrangement) => void {
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

  const arrange = ({ filter, sort }: Arrangement): void => {
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
  return (wanted) => {
    if (get().opened.lazy === undefined) return arrange(wanted);
    const { filter, sort } = wanted;
    const isFree = isNarrower(filter, NO_FILTER) && sort === 'name';
    set({ filter, sort, isSearching: !isFree });
    if (isFree) return;
    load.whole().then(
      () => arrange(get()),
      (error: unknown) => {
        set({ filter: NO_FILTER, search: { text: '', cursor: 0 }, sort: 'name', isSearching: false });
        notify(errorText(error));
      },
    );
  };
}
