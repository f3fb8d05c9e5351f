// The folder tree as rows: what is visible of the folders that are open. Folders without a visible file are left out.
import type { EntryRange, Listing } from '../../core/listing/listing.js';
import type { RawPath } from '../../core/paths/raw-path.js';

export interface FolderRow {
  readonly path: RawPath;
  readonly isOpen: boolean;
  /** All entries below it, also those that are not visible. */
  readonly below: EntryRange;
  /** Visible files below it: positions in the list of them. */
  readonly visible: EntryRange;
}

/** A file is its index in the listing. */
export type TreeRow = number | FolderRow;

export interface Tree {
  readonly rows: readonly TreeRow[];
  readonly open: ReadonlySet<RawPath>;
}

const SLASH = 0x2f;

/** The rows of a tree in which these folders are open. `visible` are files in ascending order. */
export function buildTree(listing: Listing, visible: Uint32Array, open: ReadonlySet<RawPath>): Tree {
  const rows: TreeRow[] = [];
  const add = (folder: RawPath, positions: EntryRange): void => {
    const skip = folder === '' ? 0 : folder.length + 1;
    for (let position = positions.start; position < positions.end;) {
      const index = visible[position] ?? 0;
      const name = listing.pathStart(index) + skip;
      const slash = slashIn(listing.paths, name, listing.pathEnd(index));
      if (slash < 0) {
        rows.push(index);
        position++;
        continue;
      }
      const path = listing.paths.toString('latin1', listing.pathStart(index), slash);
      const below = listing.below(path);
      const end = firstAtOrAfter(visible, below.end, position);
      const row = { path, isOpen: open.has(path), below, visible: { start: position, end } };
      rows.push(row);
      if (row.isOpen) add(path, row.visible);
      position = end;
    }
  };
  add('', { start: 0, end: visible.length });
  return { rows, open };
}

/** `indexOf` would look on to the end of all paths. */
function slashIn(paths: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) if (paths[at] === SLASH) return at;
  return -1;
}

/** The folders above a path, the topmost first. */
export function foldersAbove(path: RawPath): RawPath[] {
  const above: RawPath[] = [];
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
    above.push(path.slice(0, slash));
  return above;
}

/** Position of the first number that is not below `value`, in an ascending list. */
export function firstAtOrAfter(list: Uint32Array, value: number, from = 0): number {
  let low = from;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a file or folder stands in the tree; undefined when it does not. */
export function rowOf({ rows }: Tree, wanted: number | RawPath): number | undefined {
  const found = rows.findIndex((row) => (typeof row === 'number' ? row === wanted : row.path === wanted));
  return found < 0 ? undefined : found;
}
