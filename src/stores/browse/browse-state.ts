// What the browser shows, and how it changes by itself: pure functions from one state to the next. Nothing is read or
// fetched here. The cursor stands on a file or folder, not on a row, so filters and versions may change under it.
import type { Listing } from '../../core/listing/listing.js';
import type { ThawTier } from '../../core/object-store/object-store.js';
import { displayPath, type RawPath } from '../../core/paths/raw-path.js';
import { Marks } from './marks.js';
import { type BrowseFilter, filesOf, NO_FILTER } from './search.js';
import { buildTree, firstAtOrAfter, foldersAbove, rowOf, type Tree, type TreeRow } from './tree.js';
import type { TransferSnapshot } from '../transfer-snapshot.js';

/** A version of a dataset. */
export interface BrowseVersion {
  readonly datasetId: string;
  readonly version: number;
  readonly isHead: boolean;
  /** Digests that its manifest may have. */
  readonly manifestSha256: readonly string[];
}

/** What is looked at. */
export interface OpenedListing {
  readonly listing: Listing;
  readonly baseUrl: string;
  readonly uploadId: string;
  /** Undefined where no version is known for the upload. */
  readonly version: BrowseVersion | undefined;
}

export const CHANGE = { none: 0, added: 1, modified: 2 } as const;

/** What differs from the version before. */
export interface VersionChanges {
  /** The version before; undefined for the first. */
  readonly since: number | undefined;
  /** Of each entry one of `CHANGE`. */
  readonly kinds: Uint8Array;
  readonly added: number;
  readonly modified: number;
  readonly removed: number;
}

export type Preview =
  | { readonly kind: 'text'; readonly lines: readonly string[]; readonly isCut: boolean }
  | { readonly kind: 'none'; readonly reason: string };

/** A panel of the browser, or what has the keys. */
export type BrowseMode =
  | { readonly kind: 'list' }
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'confirm' }
  | { readonly kind: 'details'; readonly index: number; readonly preview: Preview | undefined }
  | { readonly kind: 'progress'; readonly snapshot: TransferSnapshot }
  | { readonly kind: 'done'; readonly lines: readonly string[] };

/** The text of the search as it is edited. */
export interface SearchLine {
  readonly text: string;
  readonly cursor: number;
}

export interface BrowseView {
  readonly opened: OpenedListing;
  /** All files, in path order. */
  readonly files: Uint32Array;
  /** Those that the filters leave. */
  readonly visible: Uint32Array;
  /** `visible` is not complete yet. */
  readonly isSearching: boolean;
  readonly filter: BrowseFilter;
  readonly search: SearchLine;
  /** Undefined in the flat list. */
  readonly tree: Tree | undefined;
  /** The file or folder that the person went to; it may be hidden by a filter. */
  readonly wanted: number | RawPath;
  /** Row of the cursor. */
  readonly position: number;
  readonly marks: Marks;
  readonly changes: VersionChanges | undefined;
  readonly tier: ThawTier;
  readonly mode: BrowseMode;
  /** One sentence, until the next key. */
  readonly notice: string | undefined;
  /** What is being waited for. */
  readonly busy: string | undefined;
  readonly isOver: boolean;
}

/** The browser as it opens. */
export function initialView(opened: OpenedListing, tier: ThawTier): BrowseView {
  const files = filesOf(opened.listing);
  return {
    opened,
    files,
    visible: files,
    isSearching: false,
    filter: NO_FILTER,
    search: { text: '', cursor: 0 },
    tree: undefined,
    wanted: files[0] ?? 0,
    position: 0,
    marks: new Marks(opened.listing),
    changes: undefined,
    tier,
    mode: { kind: 'list' },
    notice: refusedText(opened.listing),
    busy: undefined,
    isOver: false,
  };
}

function refusedText({ refused }: Listing): string | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const more = refused.length === 1 ? '' : ` and ${refused.length - 1} more`;
  return `refused and not shown: ${displayPath(first.path)} (${first.reason})${more}`;
}

/** Rows of the list or tree. */
export const rowCount = ({ tree, visible }: BrowseView): number => tree?.rows.length ?? visible.length;

/** A row; undefined beyond the end. */
export const rowAt = ({ tree, visible }: BrowseView, position: number): TreeRow | undefined =>
  tree === undefined ? visible[position] : tree.rows[position];

/** The cursor on another row. */
export function withPosition(view: BrowseView, position: number): BrowseView {
  const clamped = Math.max(0, Math.min(rowCount(view) - 1, position));
  const row = rowAt(view, clamped);
  const wanted = row === undefined ? view.wanted : typeof row === 'number' ? row : row.path;
  return { ...view, wanted, position: clamped };
}

/** Other files left by the filters; the cursor stays on its file, or goes to the next one after it. */
export function withVisible(view: BrowseView, visible: Uint32Array): BrowseView {
  const tree = view.tree === undefined ? undefined : buildTree(view.opened.listing, visible, view.tree.open);
  return relocated({ ...view, visible, tree });
}

/** A folder of the tree opened or closed. */
export function withFolder(view: BrowseView, folder: RawPath, isOpen: boolean): BrowseView {
  if (view.tree === undefined) return view;
  const open = new Set(view.tree.open);
  if (isOpen) open.add(folder);
  else open.delete(folder);
  return relocated({ ...view, tree: buildTree(view.opened.listing, view.visible, open) });
}

/** The flat list, or the tree with the folders above the cursor open. */
export function withTree(view: BrowseView, isTree: boolean): BrowseView {
  if (!isTree) return relocated({ ...view, tree: undefined });
  const { listing } = view.opened;
  // What is on the screen, not a file that a filter hides.
  const wanted = view.visible[view.position] ?? view.wanted;
  const path = typeof wanted === 'number' ? listing.path(wanted) : wanted;
  return relocated({ ...view, wanted, tree: buildTree(listing, view.visible, new Set(foldersAbove(path))) });
}

function relocated(view: BrowseView): BrowseView {
  const position = Math.max(0, Math.min(rowCount(view) - 1, wantedPosition(view)));
  return { ...view, position };
}

function wantedPosition({ tree, wanted, visible, opened: { listing } }: BrowseView): number {
  const index = typeof wanted === 'number' ? wanted : listing.below(wanted).start;
  if (tree === undefined) return firstAtOrAfter(visible, index);
  const exact = rowOf(tree, wanted);
  if (exact !== undefined) return exact;
  // Closed above it, or hidden: the last row that begins before it.
  const after = tree.rows.findIndex((row) => (typeof row === 'number' ? row : row.below.start) > index);
  return after < 0 ? tree.rows.length - 1 : after - 1;
}
