import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { BrowseActions } from '../../stores/browse/actions.js';
import type { BrowseState } from '../../stores/browse/browse-state.js';
import type { BrowseStore } from '../../stores/browse/browse-store.js';

export const BrowseContext = createContext<BrowseStore | undefined>(undefined);

/** The store of the browser around this component. */
export function useBrowseStore(): BrowseStore {
  const store = useContext(BrowseContext);
  if (store === undefined) throw new Error('there is no browser around this component');
  return store;
}

/** A part of the browser's state. Selects one value: a new object for every call would draw for ever. */
export const useBrowse = <T,>(select: (state: BrowseState) => T): T => useStore(useBrowseStore(), select);

/** The actions: always the same object. */
export const useActions = (): BrowseActions => useBrowseStore().getState().do;
