// The user's actions in the dashboard, as verbs. Each view keeps its place while others are shown.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SearchLine } from '../browse/browse-state.js';
import type { DashboardSources } from './sources.js';
import type { ListModel, Row, ViewId, ViewModel } from './view-model.js';

/** The user's place in one view. */
export interface ViewPlace {
  /** The row that the user moved to; it may be hidden by a filter or gone. */
  readonly wanted: string | undefined;
  /** Last position of that row. */
  readonly position: number;
  readonly filter: SearchLine;
  readonly sort: number;
  /** True when the details of the row are shown large. */
  readonly isOpen: boolean;
}

/** An upload to be browsed. */
export interface BrowseRequest {
  readonly url: string;
  /** Endpoint of an S3-compatible server, when it is not that of the dashboard. */
  readonly endpointUrl?: string | undefined;
}

export interface DashboardState {
  readonly view: ViewId;
  readonly places: Readonly<Record<ViewId, ViewPlace>>;
  /** The part of the screen that handles keys. */
  readonly mode: 'list' | 'filter' | 'help';
  /** One sentence, until the next key. */
  readonly notice: string | undefined;
  /** An upload that is to be browsed; the dashboard comes back afterwards. */
  readonly wish: BrowseRequest | undefined;
  readonly isOver: boolean;
}

export interface DashboardActions {
  readonly show: (view: ViewId) => void;
  /** Moves this many tabs further. */
  readonly step: (tabs: number) => void;
  readonly move: (rows: number) => void;
  readonly setFilter: (line: SearchLine) => void;
  readonly nextSort: () => void;
  readonly open: (isOpen: boolean) => void;
  readonly turn: (mode: DashboardState['mode']) => void;
  readonly notify: (text: string | undefined) => void;
  /** Reads the sources of the current view now. */
  readonly refresh: () => void;
  /** Leaves the screen for the browser; undefined on return. */
  readonly browse: (wish: BrowseRequest | undefined) => void;
  readonly quit: () => void;
}

export type DashboardStore = StoreApi<DashboardState & { readonly do: DashboardActions }>;

export interface DashboardStoreOptions {
  readonly views: readonly ViewModel[];
  readonly view: ViewId;
  readonly sources: DashboardSources;
}

const PLACE: ViewPlace = { wanted: undefined, position: 0, filter: { text: '', cursor: 0 }, sort: 0, isOpen: false };

/** The rows of a list with the filter and sorting of a place. */
export const rowsAt = <T extends Row>(
  list: ListModel<T>,
  { filter, sort }: ViewPlace,
  sources: DashboardSources,
): readonly T[] => list.rows(sources, { filter: filter.text, sort });

const listOf = (views: readonly ViewModel[], view: ViewId): ViewModel['list'] =>
  views.find(({ id }) => id === view)?.list;

/** The row of the cursor; -1 when there is none. */
export function cursorIn(rows: readonly Row[], { wanted, position }: ViewPlace): number {
  const at = wanted === undefined ? -1 : rows.findIndex(({ id }) => id === wanted);
  return at >= 0 ? at : Math.min(position, rows.length - 1);
}

/** A dashboard that shows `view`. */
export const createDashboardStore = (options: DashboardStoreOptions): DashboardStore =>
  createStore<DashboardState & { readonly do: DashboardActions }>()((set, get) => {
    const { views, sources } = options;
    const change = (place: Partial<ViewPlace>): void => {
      const { view, places } = get();
      set({ places: { ...places, [view]: { ...places[view], ...place } } });
    };
    const here = (): ViewPlace => get().places[get().view];
    const show = (view: ViewId): void => {
      if (view !== get().view) set({ view, mode: 'list' });
    };
    const actions: DashboardActions = {
      show,
      step(tabs) {
        const at = views.findIndex(({ id }) => id === get().view);
        const next = views[(at + tabs + views.length) % views.length];
        if (next !== undefined) show(next.id);
      },
      move(by) {
        const list = listOf(views, get().view);
        const rows = list === undefined ? [] : rowsAt(list, here(), sources);
        const position = Math.max(0, Math.min(rows.length - 1, cursorIn(rows, here()) + by));
        change({ position, wanted: rows[position]?.id });
      },
      setFilter: (filter) => change({ filter }),
      nextSort() {
        const sorts = listOf(views, get().view)?.sorts ?? [];
        if (sorts.length > 1) change({ sort: (here().sort + 1) % sorts.length });
      },
      open: (isOpen) => change({ isOpen }),
      turn: (mode) => set({ mode }),
      notify(notice) {
        if (notice !== get().notice) set({ notice });
      },
      refresh() {
        const view = views.find(({ id }) => id === get().view);
        view?.onAsk?.(sources);
        const all = [view?.reads, view?.asks].flatMap((listed) => listed?.(sources) ?? []);
        for (const source of all) void source.getState().refresh();
      },
      browse: (wish) => set({ wish }),
      quit: () => set({ isOver: true }),
    };
    const places = Object.fromEntries(views.map(({ id }) => [id, PLACE])) as DashboardState['places'];
    return {
      view: options.view,
      places,
      mode: 'list',
      notice: undefined,
      wish: undefined,
      isOver: false,
      do: actions,
    };
  });
