// The browser's store: what the person does, as verbs. What has to be fetched or written comes through ports; the pure
// steps are in browse-state.ts.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { cancelledError } from '../../core/failures/errors.js';
import type { ThawTier } from '../../core/object-store/object-store.js';
import type { BrowseActions, BrowsePorts, BrowseTools } from './actions.js';
import { listActions } from './list-actions.js';
import { panelActions } from './panel-actions.js';
import { restoreActions } from './restore-actions.js';
import { searcher } from './searcher.js';
import { type BrowseView, initialView, type OpenedListing } from './browse-state.js';

export type BrowseStore = StoreApi<BrowseView & { readonly do: BrowseActions }>;

export interface BrowseStoreOptions {
  readonly opened: OpenedListing;
  readonly tier: ThawTier;
  readonly ports: BrowsePorts;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
}

/** A store that shows what was opened. */
export function createBrowseStore({ opened, tier, ports, signal }: BrowseStoreOptions): BrowseStore {
  return createStore<BrowseView & { readonly do: BrowseActions }>()((set, get) => {
    let panel = new AbortController();
    const tools: BrowseTools = {
      get,
      set,
      ports,
      signal,
      look: searcher(get, set, ports.now),
      notify(notice) {
        if (notice !== get().notice) set({ notice });
      },
      begin() {
        panel.abort();
        panel = new AbortController();
        return AbortSignal.any([signal, panel.signal]);
      },
      abort: () => panel.abort(cancelledError('interrupted')),
    };
    const actions = { ...listActions(tools), ...panelActions(tools), ...restoreActions(tools) };
    return { ...initialView(opened, tier), do: actions };
  });
}
