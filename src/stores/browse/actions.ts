// What a person can do in the browser, and what the actions share.
import type { FileHistory } from '../../core/dataset/chain/file-history.js';
import type { EventSink } from '../../core/events/events.js';
import type { Selectors } from '../../core/format/manifest/selection.js';
import type { ThawTier } from '../../core/store/object-store.js';
import type { Preview } from '../../core/restore/listing/first-lines.js';
import type { Arrangement } from './arranger.js';
import type { BrowseState, OpenedListing, SearchLine } from './browse-state.js';

export interface RestoreRequest {
  readonly opened: OpenedListing;
  readonly selectors: Selectors;
  readonly tier: ThawTier;
}

/** The world, as far as the browser needs it. */
export interface BrowsePorts {
  /** The first lines of a file, or why there are none. Never fetches what is cold. */
  readonly preview: (opened: OpenedListing, index: number, signal: AbortSignal) => Promise<Preview>;
  /** The versions that hold a file. */
  readonly history: (opened: OpenedListing, index: number, signal: AbortSignal) => Promise<FileHistory>;
  /** The version before (-1) or after (1). @throws `NoSuchVersion` where there is none */
  readonly step: (opened: OpenedListing, direction: -1 | 1, signal: AbortSignal) => Promise<OpenedListing>;
  /** Restores, and gives what a person reads about it. @throws what ended it */
  readonly restore: (request: RestoreRequest, emit: EventSink, signal: AbortSignal) => Promise<readonly string[]>;
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
  readonly clock: () => Date;
}

export interface ListActions {
  readonly move: (rows: number) => void;
  readonly toggle: () => void;
  readonly markVisible: () => void;
  readonly clearMarks: () => void;
  readonly cycle: (which: 'stage' | 'commit') => void;
  readonly setSearch: (line: SearchLine) => void;
  readonly nextSort: () => void;
  readonly toggleTree: () => void;
  readonly openFolder: (isOpen: boolean) => void;
}

export interface VersionActions {
  /** Another version takes the place of the one that is looked at. */
  readonly step: (direction: -1 | 1) => void;
  /** All files, or only what changed. */
  readonly toggleChanges: () => void;
  /** Compares with another version. */
  readonly compareWith: (direction: -1 | 1) => void;
}

export interface PanelActions {
  readonly show: (mode: 'list' | 'search' | 'help' | 'details') => void;
  /** The question before a restore, or why there is none. */
  readonly ask: () => void;
  readonly nextTier: (step: -1 | 1) => void;
  /** Reads about a file, and about no other one any more; undefined ends it. */
  readonly readAbout: (file: { readonly opened: OpenedListing; readonly index: number } | undefined) => void;
  readonly notify: (text: string | undefined) => void;
}

export interface RestoreActions {
  /** Restores what is marked, if nothing refuses that. */
  readonly restore: () => void;
  readonly quit: () => void;
}

export type BrowseActions = ListActions & VersionActions & PanelActions & RestoreActions;

export interface BrowseTools {
  readonly get: () => BrowseState;
  readonly set: (change: Partial<BrowseState>) => void;
  readonly arrange: (wanted: Arrangement) => void;
  readonly notify: (text: string | undefined) => void;
  readonly ports: BrowsePorts;
  /** Ends everything. */
  readonly signal: AbortSignal;
}
