import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type {
  DashboardActions,
  DashboardState,
  DashboardStore,
  ViewPlace,
} from '../../stores/dashboard/dashboard-store.js';
import { cursorIn, rowsAt } from '../../stores/dashboard/dashboard-store.js';
import type { Source } from '../../stores/dashboard/source.js';
import type { DashboardSources } from '../../stores/dashboard/sources.js';
import type { StoreSources } from '../../stores/dashboard/store-sources.js';
import { outageText } from './outage.js';
import type { ListModel, Row } from '../../stores/dashboard/view-model.js';

/** The store that is shown. */
export interface Target {
  /** Undefined when only the data of this computer is shown. */
  readonly url: string | undefined;
  /** Region as it was given. */
  readonly region: string | undefined;
  readonly profile: string | undefined;
}

/** The data and settings of the views. */
export interface Dashboard {
  readonly store: DashboardStore;
  readonly sources: DashboardSources;
  readonly target: Target;
  /** Milliseconds from one refresh to the next. */
  readonly everyMs: number;
  /** Set when the view is printed once, without a cursor. */
  readonly isPrinted?: boolean;
  /** The user's home folder, for abbreviating paths. */
  readonly userHome: string;
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined);

/** The dashboard around this component. */
export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error('there is no dashboard around this component');
  return dashboard;
}

/** The sources of the store; only for views that are drawn when there is one. */
export function useStoreSources(): StoreSources {
  const { store } = useDashboard().sources;
  if (store === undefined) throw new Error('there is no store to look at');
  return store;
}

/** A part of the user's state of the dashboard. Selects one value: a new object for every call would draw for ever. */
export const useView = <T,>(select: (state: DashboardState) => T): T => useStore(useDashboard().store, select);

/** The actions: always the same object. */
export const useActions = (): DashboardActions => useDashboard().store.getState().do;

export interface ReadSource<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  /** Set while it cannot be read: since when, and how old the value is. */
  readonly outage: string | undefined;
}

/** The last value read from a source; drawn again when it changes. */
export const useSource = <T,>(source: Source<T>): ReadSource<T> => ({
  value: useStore(source, ({ value }) => value),
  problem: useStore(source, ({ problem }) => problem),
  outage: useStore(source, outageText),
});

/** Time of the last read in milliseconds since 1970, for showing ages. */
export const useReadMs = (source: Source<unknown>): number => useStore(source, ({ readAt }) => readAt?.getTime() ?? 0);

interface Subscribable {
  readonly subscribe: (onChange: () => void) => () => void;
}

/** A text derived from stores; drawn again when it changes. */
export function useTextOf(stores: readonly Subscribable[], text: () => string): string {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const ends = stores.map((store) => store.subscribe(onChange));
      return () => ends.forEach((end) => end());
    },
    [stores],
  );
  return useSyncExternalStore(subscribe, text);
}

export interface ShownRows<T> {
  readonly rows: readonly T[];
  readonly cursor: number;
  readonly place: ViewPlace;
}

/** The rows of a list, filtered and sorted, and the index of the cursor. `useSource` draws it again when they change. */
export function useRows<T extends Row>(list: ListModel<T>): ShownRows<T> {
  const { sources, isPrinted = false } = useDashboard();
  const place = useView(({ view, places }) => places[view]);
  const rows = rowsAt(list, place, sources);
  return { rows, cursor: isPrinted ? -1 : cursorIn(rows, place), place };
}

/** The row under the cursor of the current list; undefined when there is none. */
export function rowAtCursor<T extends Row>(list: ListModel<T>, { store, sources }: Dashboard): T | undefined {
  const { view, places } = store.getState();
  const place = places[view];
  const rows = rowsAt(list, place, sources);
  return rows[cursorIn(rows, place)];
}
