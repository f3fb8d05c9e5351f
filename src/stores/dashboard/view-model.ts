// The model of a dashboard view, apart from how it is drawn: the rows that the cursor moves over, and its sources.
import type { DashboardSources } from './sources.js';
import type { AnySource } from './source.js';

export type ViewId = 'overview' | 'costs' | 'uploads' | 'inventory' | 'analyze' | 'fleet';

/** An item with an ID, on which the cursor stays when rows come and go. */
export interface Row {
  readonly id: string;
}

/** Filter and sorting of rows. */
export interface Arrangement {
  /** Text that rows must contain, ignoring case. */
  readonly filter: string;
  /** Index into the sorts of the list. */
  readonly sort: number;
}

export interface ListModel<T extends Row = Row> {
  /** Names of the sort orders that `s` goes through, starting with the first. */
  readonly sorts: readonly string[];
  /** Rows; the same array while nothing changes. */
  readonly rows: (sources: DashboardSources, how: Arrangement) => readonly T[];
  /** Number of rows without the filter. */
  readonly total: (sources: DashboardSources) => number;
}

export interface ViewModel {
  readonly id: ViewId;
  /** Title on its tab. */
  readonly title: string;
  /** Sources that are read again at each refresh while it is shown. */
  readonly reads: (sources: DashboardSources) => readonly AnySource[];
  /** Sources that are read once, and again when the user asks for it (`R`). */
  readonly asks?: (sources: DashboardSources) => readonly AnySource[];
  /** Sources that the user starts reading, by keys of the view. */
  readonly follows?: (sources: DashboardSources) => readonly AnySource[];
  /** Called before everything is read because the user asks for it. */
  readonly onAsk?: (sources: DashboardSources) => void;
  /** Sources on this computer that are changing now, and are read twice a second. */
  readonly live?: (sources: DashboardSources) => readonly AnySource[];
  /** Rows for the cursor; a view without a list has no cursor. */
  readonly list?: ListModel;
}

interface ListOptions<T extends Row> {
  /** Items; the same array while nothing changes. */
  readonly items: (sources: DashboardSources) => readonly T[];
  /** The text that a filter searches. */
  readonly text: (row: T) => string;
  readonly sorts: readonly (readonly [name: string, compare: (one: T, other: T) => number])[];
}

/** A list model that keeps its last arrangement. */
export function listModel<T extends Row>({ items, text, sorts }: ListOptions<T>): ListModel<T> {
  let last: { readonly of: readonly T[]; readonly how: Arrangement; readonly rows: readonly T[] } | undefined;
  return {
    sorts: sorts.map(([name]) => name),
    total: (sources) => items(sources).length,
    rows(sources, how) {
      const of = items(sources);
      if (last?.of === of && last.how.filter === how.filter && last.how.sort === how.sort) return last.rows;
      const wanted = how.filter.toLowerCase();
      const found = wanted === '' ? of : of.filter((row) => text(row).toLowerCase().includes(wanted));
      const compare = sorts[how.sort]?.[1];
      const rows = compare === undefined ? found : found.toSorted(compare);
      last = { of, how, rows };
      return rows;
    },
  };
}
