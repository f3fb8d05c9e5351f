// The rows of the list or the tree, and the cursor in them: pure functions from one state to the next.
import type { Listing } from '../../core/restore/listing/listing.js';
import { type RawPath, TOP } from '../../core/platform/paths/raw-path.js';
import type { BrowseState } from './browse-state.js';
import { sortFiles, type Order } from './order.js';
import { buildTree, firstAtOrAfter, foldersAbove, rowOf, type Tree, type TreeRow } from './tree.js';

type Rows = Pick<BrowseState, 'tree' | 'listed'>;

/** Number of rows of the list or tree. */
export const rowCount = ({ tree, listed }: Rows): number => tree?.rows.length ?? listed.length;

/** A row; undefined beyond the end. */
export const rowAt = ({ tree, listed }: Rows, position: number): TreeRow | undefined =>
  tree === undefined ? listed[position] : tree.rows[position];

/** Moves the cursor to another row. */
export function withPosition(state: BrowseState, position: number): BrowseState {
  const clamped = Math.max(0, Math.min(rowCount(state) - 1, position));
  const row = rowAt(state, clamped);
  const wanted = row === undefined ? state.wanted : typeof row === 'number' ? row : row.path;
  return { ...state, wanted, position: clamped };
}

/** Changes the visible files, or their order; the cursor stays on its file, or moves to the next one after it. */
export function withVisible(state: BrowseState, visible: Uint32Array, order: Order | undefined): BrowseState {
  const listed = order === undefined ? visible : sortFiles(order, visible);
  const next = { ...state, visible, listed, order };
  return relocated({ ...next, tree: state.tree && treeOf(next, state.tree.open) });
}

const treeOf = ({ opened: { listing, lazy }, facts, visible, order }: BrowseState, open: ReadonlySet<RawPath>): Tree =>
  buildTree({ listing, facts, visible, order }, open, lazy);

/** Opens or closes a folder of the tree. */
export function withFolder(state: BrowseState, folder: RawPath, isOpen: boolean): BrowseState {
  if (state.tree === undefined) return state;
  const open = new Set(state.tree.open);
  if (isOpen) open.add(folder);
  else open.delete(folder);
  return relocated({ ...state, tree: treeOf(state, open) });
}

/** Switches to the flat list, or to the tree with the folders above the cursor open. */
export function withTree(state: BrowseState, isTree: boolean): BrowseState {
  if (!isTree) return relocated({ ...state, tree: undefined });
  // The row on the screen, not a file that a filter hides.
  const wanted = state.listed[state.position] ?? state.wanted;
  const path = typeof wanted === 'number' ? state.opened.listing.path(wanted) : wanted;
  return relocated({ ...state, wanted, tree: treeOf(state, new Set(foldersAbove(path))) });
}

function relocated(state: BrowseState): BrowseState {
  const position = Math.max(0, Math.min(rowCount(state) - 1, wantedPosition(state)));
  return { ...state, position };
}

function wantedPosition(state: BrowseState): number {
  const { tree, wanted, visible, listed, order, opened } = state;
  const index = typeof wanted === 'number' ? wanted : opened.listing.below(wanted).start;
  const after = firstAtOrAfter(visible, index);
  if (tree !== undefined) return rowOf(tree, wanted) ?? nearestRow(tree, wanted, visible[after], opened.listing);
  if (order === undefined) return after;
  const at = listed.indexOf(index);
  return at < 0 ? state.position : at;
}

/** The row of the lowest folder above the wanted path, or of the next file, or of a folder above that one. */
function nearestRow(tree: Tree, wanted: number | RawPath, next: number | undefined, listing: Listing): number {
  const above = (path: RawPath): RawPath[] => foldersAbove(path).toReversed();
  const path = typeof wanted === 'string' ? wanted : wanted < listing.count ? listing.path(wanted) : TOP;
  const places = [...above(path), ...(next === undefined ? [] : [next, ...above(listing.path(next))])];
  for (const place of places) {
    const row = rowOf(tree, place);
    if (row !== undefined) return row;
  }
  return tree.rows.length - 1;
}
