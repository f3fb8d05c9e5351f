// What a person can do in the browser, and what the actions share.
import type { EventSink } from '../../core/events.js';
import type { Selectors } from '../../core/manifest/selection.js';
import type { ThawTier } from '../../core/object-store/object-store.js';
import type { BrowseFilter } from './search.js';
import type { BrowseView, OpenedListing, Preview, SearchLine, VersionChanges } from './browse-state.js';

export interface RestoreRequest {
  readonly opened: OpenedListing;
  readonly selectors: Selectors;
  readonly tier: ThawTier;
}

/** The world, as far as the browser needs it. */
export interface BrowsePorts {
  /** The first lines of a file, or why there are none. */
  readonly preview: (opened: OpenedListing, index: number, signal: AbortSignal) => Promise<Preview>;
  /** The version before (-1) or after (1). @throws a sentence where there is none */
  readonly step: (opened: OpenedListing, direction: -1 | 1, signal: AbortSignal) => Promise<OpenedListing>;
  readonly changes: (opened: OpenedListing, signal: AbortSignal) => Promise<VersionChanges>;
  /** Restores, and gives what a person reads about it. @throws what ended it */
  readonly restore: (request: RestoreRequest, emit: EventSink, signal: AbortSignal) => Promise<readonly string[]>;
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
}

export interface ListActions {
  readonly move: (rows: number) => void;
  readonly moveTo: (end: 'first' | 'last') => void;
  readonly toggle: () => void;
  readonly markVisible: () => void;
  readonly clearMarks: () => void;
  readonly cycle: (which: 'stage' | 'commit') => void;
  readonly setSearch: (line: SearchLine) => void;
  readonly toggleTree: () => void;
  readonly openFolder: (isOpen: boolean) => void;
}

export interface PanelActions {
  readonly show: (mode: 'list' | 'search' | 'help' | 'confirm') => void;
  readonly showDetails: () => void;
  readonly step: (direction: -1 | 1) => void;
  readonly nextTier: () => void;
  readonly notify: (text: string | undefined) => void;
}

export interface RestoreActions {
  /** Refused with a notice when `reason` is given. */
  readonly restore: (reason: string | undefined) => void;
  readonly quit: () => void;
}

export type BrowseActions = ListActions & PanelActions & RestoreActions;

export interface BrowseTools {
  readonly get: () => BrowseView;
  readonly set: (change: Partial<BrowseView>) => void;
  readonly look: (filter: BrowseFilter) => void;
  readonly notify: (text: string | undefined) => void;
  readonly ports: BrowsePorts;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** A signal for what is under way in the panel that is shown now; ends that of the panel before. */
  readonly begin: () => AbortSignal;
  /** Ends what is under way in the panel. */
  readonly abort: () => void;
}
