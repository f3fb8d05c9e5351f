// The browser's store: the user's actions, as verbs. Everything that has to be fetched or written comes through ports; the pure steps are
// in browse-state.ts and rows.ts.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ThawTier } from '../../core/store/object-store.js';
import type { BrowseActions, BrowsePorts, BrowseTools } from './actions.js';
import { watchOutage } from '../outage.js';
import { arranger } from './arranger.js';
import { type BrowseState, initialState, type OpenedListing } from './browse-state.js';
import type { BrowseSettings } from './cost.js';
import { fileActions } from './file-actions.js';
import { loader } from './loader.js';
import { listActions } from './list-actions.js';
import { panelActions } from './panel-actions.js';
import { restoreActions } from './restore-actions.js';
import { versionActions } from './version-actions.js';

export type BrowseStore = StoreApi<BrowseState & { readonly do: BrowseActions }>;

export interface BrowseStoreOptions {
  readonly opened: OpenedListing;
  readonly settings: BrowseSettings;
  readonly tier: ThawTier;
  readonly ports: BrowsePorts;
  /** Ends all work in progress. */
  readonly signal: AbortSignal;
}

/** Creates a store for an opened upload. */
export const createBrowseStore = ({ opened, settings, tier, ports, signal }: BrowseStoreOptions): BrowseStore =>
  createStore<BrowseState & { readonly do: BrowseActions }>()((set, get, store) => {
    const notify = (notice: string | undefined): void => {
      if (notice !== get().notice) set({ notice });
    };
    const outage = watchOutage(ports.clock, (trouble) => set({ trouble }));
    const load = loader({ get, set, notify, outage, signal }, ports.now);
    const arrange = arranger({ get, set, load, notify, now: ports.now });
    const tools: BrowseTools = { get, set, ports, signal, outage, load, arrange, notify };
    const actions = {
      ...listActions(tools),
      ...versionActions(tools),
      ...fileActions(tools),
      ...panelActions(tools),
      ...restoreActions(tools),
      hear: tools.outage.take,
    };
    // Whatever the user does may want more of the listing.
    store.subscribe(load.next);
    queueMicrotask(load.next);
    return { ...initialState(opened, settings, tier), do: actions };
  });
