// The actions of the browser, and what they share.
import type { PathHistory } from '../../core/dataset/history/path-history.js';
import type { FileHistory } from '../../core/dataset/chain/file-history.js';
import type { EventSink } from '../../core/events/events.js';
import type { Selectors } from '../../core/format/manifest/selection.js';
import type { RawPath } from '../../core/platform/paths/raw-path.js';
import type { ThawTier } from '../../core/store/object-store.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import type { FirstLinesLimits, Preview } from '../../core/restore/listing/first-lines.js';
import type { OutageWatch } from '../outage.js';
import type { Arrangement } from './arranger.js';
import type { BrowseState, OpenedListing, SearchLine } from './browse-state.js';

export interface RestoreRequest {
  readonly opened: OpenedListing;
  readonly selectors: Selectors;
  readonly tier: ThawTier;
}

/** The functions through which the browser reads and writes. */
export interface BrowsePorts {
  /** The first lines of a file, or the reason why there are none. Never fetches cold chunks. */
  readonly preview: (
    opened: OpenedListing,
    index: number,
    signal: AbortSignal,
    most?: FirstLinesLimits,
  ) => Promise<Preview>;
  /** The versions that hold a file. */
  readonly history: (opened: OpenedListing, index: number, signal: AbortSignal) => Promise<FileHistory>;
  /** The version before (-1) or after (1). @throws `NoSuchVersion` when there is none */
  readonly step: (
    opened: OpenedListing,
    direction: -1 | 1,
    signal: AbortSignal,
    emit: EventSink,
  ) => Promise<OpenedListing>;
  /** What became of a path in all versions of the dataset. @throws what `pathHistory` of core throws */
  readonly pathHistory: (
    opened: OpenedListing,
    path: RawPath,
    signal: AbortSignal,
    emit: EventSink,
  ) => Promise<PathHistory>;
  /** Another version of the dataset. */
  readonly openVersion: (
    opened: OpenedListing,
    record: VersionRecord,
    signal: AbortSignal,
    emit: EventSink,
  ) => Promise<OpenedListing>;
  /** Restores, and returns lines for people about it. @throws the error that ended it */
  readonly restore: (request: RestoreRequest, emit: EventSink, signal: AbortSignal) => Promise<readonly string[]>;
  /** Current time in milliseconds since some fixed moment. */
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
  /** Replaces the current version by the one before or after it. */
  readonly step: (direction: -1 | 1) => void;
  /** Switches between all files and only the changes. */
  readonly toggleChanges: () => void;
  /** Compares with another version. */
  readonly compareWith: (direction: -1 | 1) => void;
}

export interface FileActions {
  /** Shows what became of the file under the cursor. */
  readonly showVersions: () => void;
  /** Back from a comparison to the versions, and from them to all files. */
  readonly leaveVersions: () => void;
  /** Opens the version under the cursor, with the cursor on the file. */
  readonly openFileVersion: () => void;
  /** Compares the file with what it was before. */
  readonly compareFile: () => void;
}

export interface PanelActions {
  readonly show: (mode: 'list' | 'search' | 'help' | 'details') => void;
  /** Asks for confirmation of a restore, or says why there is nothing to restore. */
  readonly ask: () => void;
  readonly nextTier: (step: -1 | 1) => void;
  /** Reads the preview and history of a file, cancelling those of any other; undefined only cancels. */
  readonly readAbout: (file: { readonly opened: OpenedListing; readonly index: number } | undefined) => void;
  readonly notify: (text: string | undefined) => void;
}

export interface RestoreActions {
  /** Restores the marked files, unless something prevents that. */
  readonly restore: () => void;
  readonly quit: () => void;
}

export type BrowseActions = ListActions &
  VersionActions &
  FileActions &
  PanelActions &
  RestoreActions & {
    /** Takes the events of the store, to tell when it does not answer. */
    readonly hear: EventSink;
  };

/** Reads more of the listing. */
export interface Loader {
  /** Begins what is needed next, unless something is being read. */
  readonly next: () => void;
  /** Waits until everything is there. @throws what reading throws; unsupported when it is too much */
  readonly whole: () => Promise<void>;
  /** Reads everything below a folder. @throws as `whole` */
  readonly below: (folder: RawPath) => Promise<void>;
}

export interface BrowseTools {
  readonly get: () => BrowseState;
  readonly set: (change: Partial<BrowseState>) => void;
  readonly arrange: (wanted: Arrangement) => void;
  readonly load: Loader;
  readonly notify: (text: string | undefined) => void;
  readonly ports: BrowsePorts;
  readonly outage: OutageWatch;
  /** Ends everything. */
  readonly signal: AbortSignal;
}
