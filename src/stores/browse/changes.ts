// The larger steps of the browser's state: to the folder above, and to another version, where everything goes by path.
import type { Listing } from '../../core/listing/listing.js';
import type { RawPath } from '../../core/paths/raw-path.js';
import { carryMarks } from './carry.js';
import {
  type BrowseMode,
  type BrowseView,
  initialView,
  type OpenedListing,
  withPosition,
  withVisible,
} from './browse-state.js';

/** The cursor on the folder that holds its row. */
export function toParent(view: BrowseView): BrowseView {
  const { wanted, tree, opened } = view;
  const path = typeof wanted === 'number' ? opened.listing.path(wanted) : wanted;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const position = tree?.rows.findIndex((row) => typeof row === 'object' && row.path === parent) ?? -1;
  return position < 0 ? view : withPosition(view, position);
}

/** The same browser over another version: filters, marks and cursor go by path. */
export function withOpened(view: BrowseView, opened: OpenedListing): BrowseView {
  const from = view.opened.listing;
  const fresh = initialView(opened, view.tier);
  const marks = carryMarks(view.marks, from, opened.listing);
  const lost = view.marks.files - marks.files;
  const wanted = typeof view.wanted === 'number' ? nearest(opened.listing, from.path(view.wanted)) : view.wanted;
  const isIndexed = view.mode.kind === 'details' || view.mode.kind === 'confirm';
  const mode: BrowseMode = isIndexed ? { kind: 'list' } : view.mode;
  const moved = { ...fresh, filter: view.filter, search: view.search, marks, wanted, mode, busy: view.busy };
  return {
    ...withVisible({ ...moved, tree: view.tree }, fresh.files),
    notice: lost === 0 ? fresh.notice : `${lost} of the marked files are not in this version`,
  };
}

/** The entry of this path, or the one after where it would be. */
const nearest = (listing: Listing, path: RawPath): number => listing.find(path) ?? listing.below(path).start;
