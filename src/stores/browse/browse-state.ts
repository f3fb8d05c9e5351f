// The state of the browser, and its changes: pure functions from one state to the next. Nothing is read or fetched here. The cursor is on a
// file or folder, not on a row, so filters and versions may change under it.
import type { Difference } from '../../core/dataset/diff.js';
import type { FileHistory } from '../../core/dataset/chain/file-history.js';
import type { LazyListing } from '../../core/restore/listing/lazy-listing.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import type { ThawTier } from '../../core/store/object-store.js';
import { displayPath, type RawPath } from '../../core/platform/paths/raw-path.js';
import type { Preview } from '../../core/restore/listing/first-lines.js';
import type { Trouble } from '../outage.js';
import type { TransferStore } from '../transfer-store.js';
import type { BrowseSettings } from './cost.js';
import type { FileVersions } from './file-versions.js';
import { FolderFacts } from './folder-facts.js';
import { Marks } from './marks.js';
import type { Order, Sort } from './order.js';
import { type BrowseFilter, filesOf, NO_FILTER } from './search.js';
import { buildTree, type Tree } from './tree.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { ExpectedDigests } from '../../core/dataset/records/assert-expected.js';
import type { VersionName } from '../../core/dataset/records/version-name.js';

/** A version of a dataset. */
export interface BrowseVersion extends VersionName {
  readonly datasetId: string;
  readonly isHead: boolean;
  /** Digests that its manifest may have. */
  readonly manifestSha256: ExpectedDigests;
}

/** The upload that is browsed. */
export interface OpenedListing {
  readonly listing: Listing;
  /** Reads more of the listing; undefined when all of it is there. */
  readonly lazy?: LazyListing | undefined;
  readonly baseUrl: string;
  readonly uploadId: UploadId;
  /** Undefined when no version is known for the upload. */
  readonly version: BrowseVersion | undefined;
}

/** The change of a file since another version; `metadata`: its content is the same. */
export type ChangeKind = 'added' | 'modified' | 'metadata' | 'deleted';

/** A changed file, with its entries in both listings. */
export interface ChangedFile {
  readonly kind: ChangeKind;
  /** All that differs of a file that is in both. */
  readonly differs: readonly Difference[];
  /** Undefined for an added file. */
  readonly before: number | undefined;
  /** Undefined for a removed file. */
  readonly after: number | undefined;
}

/** The differences to another version. */
export interface VersionChanges {
  /** The version that is compared with; undefined for the first. */
  readonly since: OpenedListing | undefined;
  /** Changed files in path order. */
  readonly files: readonly ChangedFile[];
  /** Kind of change by entry of the current listing. */
  readonly kinds: ReadonlyMap<number, ChangeKind>;
  readonly counts: Readonly<Record<ChangeKind, number>>;
}

/** Preview and history of the file under the cursor, as far as they were read. */
export interface ReadAbout {
  readonly opened: OpenedListing;
  readonly index: number;
  readonly preview: Preview | undefined;
  readonly history: FileHistory | undefined;
}

/** The text of the search as it is edited. */
export interface SearchLine {
  readonly text: string;
  readonly cursor: number;
}

/** The part of the screen that handles keys. `list` is that of the current page. */
export type BrowseMode =
  | { readonly kind: 'list' | 'search' | 'help' | 'details' | 'confirm' }
  | { readonly kind: 'progress'; readonly transfer: TransferStore }
  | { readonly kind: 'done'; readonly lines: readonly string[] };

export interface BrowseState {
  readonly settings: BrowseSettings;
  readonly opened: OpenedListing;
  readonly facts: FolderFacts;
  /** All files, in path order. */
  readonly files: Uint32Array;
  /** Files that match the filters, in path order. */
  readonly visible: Uint32Array;
  /** The visible files in the order of the list. */
  readonly listed: Uint32Array;
  /** True while `visible` is incomplete. */
  readonly isSearching: boolean;
  readonly filter: BrowseFilter;
  readonly search: SearchLine;
  readonly sort: Sort;
  /** Undefined while files are in path order. */
  readonly order: Order | undefined;
  /** The share of the upload that has been read in the background, 0 to 1; undefined while nothing is. */
  readonly share: number | undefined;
  /** Undefined in the flat list. */
  readonly tree: Tree | undefined;
  /** The file or folder that the user moved to; it may be hidden by a filter. */
  readonly wanted: number | RawPath;
  /** Row of the cursor. */
  readonly position: number;
  readonly marks: Marks;
  /** Incremented with every change of the marks, which are mutable. */
  readonly markings: number;
  readonly changes: VersionChanges | undefined;
  /** All files, only the changes, or the versions of one file. */
  readonly page: 'files' | 'changes' | 'versions';
  /** The file of the page of versions. */
  readonly file: FileVersions | undefined;
  readonly changePosition: number;
  /** Marks on the version that is compared with: removed files can only be restored from there. */
  readonly changeMarks: Marks;
  readonly tier: ThawTier;
  /** Time at which the confirmation of a restore was shown. */
  readonly askedAt: Date;
  readonly mode: BrowseMode;
  readonly about: ReadAbout | undefined;
  /** One sentence, until the next key. */
  readonly notice: string | undefined;
  /** Describes the work in progress. */
  readonly busy: string | undefined;
  /** Set while the store does not answer. */
  readonly trouble: Trouble | undefined;
  readonly isOver: boolean;
}

/** The initial state of the browser. */
export function initialState(opened: OpenedListing, settings: BrowseSettings, tier: ThawTier): BrowseState {
  const { listing } = opened;
  const files = filesOf(listing);
  const marks = new Marks(listing);
  const facts = new FolderFacts(listing);
  // What is not read is in folders that are not open.
  const tree = listing.isWhole
    ? undefined
    : buildTree({ listing, facts, visible: files, order: undefined }, new Set(), opened.lazy);
  const [first = files[0] ?? 0] = tree?.rows ?? [];
  return {
    settings,
    opened,
    facts,
    files,
    visible: files,
    listed: files,
    isSearching: false,
    filter: NO_FILTER,
    search: { text: '', cursor: 0 },
    sort: 'name',
    order: undefined,
    share: undefined,
    tree,
    wanted: typeof first === 'object' ? first.path : first,
    position: 0,
    marks,
    markings: 0,
    changes: undefined,
    page: 'files',
    file: undefined,
    changePosition: 0,
    changeMarks: marks,
    tier,
    askedAt: new Date(0),
    mode: { kind: 'list' },
    about: undefined,
    notice: refusedText(listing),
    busy: undefined,
    trouble: undefined,
    isOver: false,
  };
}

/** Says what is left out of a listing; undefined when nothing is. */
export function refusedText({ refused }: Listing): string | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const more = refused.length === 1 ? '' : ` and ${refused.length - 1} more`;
  return `refused and not shown: ${displayPath(first.path)} (${first.reason})${more}`;
}

/** The change under the cursor of the page of changes. */
export const changeAtCursor = ({ changes, changePosition }: BrowseState): ChangedFile | undefined =>
  changes?.files[changePosition];

/** The selection for a restore: marks, and the version that they are on. */
export function chosenIn({ page, opened, marks, changes, changeMarks }: BrowseState): {
  readonly opened: OpenedListing;
  readonly marks: Marks;
} {
  return page === 'changes' && changes?.since !== undefined
    ? { opened: changes.since, marks: changeMarks }
    : { opened, marks };
}
