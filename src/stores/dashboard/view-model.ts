// What a view of the dashboard is, apart from how it is drawn: the rows that the cursor moves over, and what is read for it.
import type { DashboardSources } from './sources.js';
import type { AnySource } from './source.js';

export type ViewId = 'overview' | 'costs' | 'uploads' | 'inventory' | 'analyze' | 'fleet';

/** Something with an id, on which the cursor stays when rows come and go. */
export interface Row {
  readonly id: string;
}

/** How rows are shown. */
export interface Arrangement {
  /** Rows that hold this text, whatever its case. */
  readonly filter: string;
  /** Index into the sorts of the list. */
  readonly sort: number;
}

export interface ListModel<T extends Row = Row> {
  /** Names of the orders that `s` goes through, the first one first. */
  readonly sorts: readonly string[];
  /** The same array as long as nothing changes. */
  readonly rows: (sources: DashboardSources, how: Arrangement) => readonly T[];
  /** How many there are without the filter. */
  readonly total: (sources: DashboardSources) => number;
}

export interface ViewModel {
  readonly id: ViewId;
  /** On its tab. */
  readonly title: string;
  /** What is read again at each refresh while it is shown. */
  readonly reads: (sources: DashboardSources) => readonly AnySource[];
  /** What is read once, and again when a person asks for it (`R`). */
  readonly asks?: (sources: DashboardSources) => readonly AnySource[];
  /** The same on a screen alone: printing the view does not read it. */
  readonly glances?: (sources: DashboardSources) => readonly AnySource[];
  /** What is read when a person begins it, by keys of the view. */
  readonly follows?: (sources: DashboardSources) => readonly AnySource[];
  /** Before all of it is read because a person asks for it. */
  readonly onAsk?: (sources: DashboardSources) => void;
  /** What changes by itself on this computer now, and is looked at twice a second. */
  readonly live?: (sources: DashboardSources) => readonly AnySource[];
  /** Without one the view has no cursor. */
  readonly list?: ListModel;
}

interface ListOptions<T extends Row> {
  /** The same array as long as nothing changes. */
  readonly items: (sources: DashboardSources) => readonly T[];
  /** What a filter looks in. */
  readonly text: (row: T) => string;
  readonly sorts: readonly (readonly [name: string, compare: (one: T, other: T) => number])[];
}

/** A list of which the last arrangement is kept. */
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
