// The folder tree as rows: the visible entries of open folders, folders before files. Folders without a visible file are left out.
import type { EntryRange, Listing } from '../../core/restore/listing/listing.js';
import { type RawPath, rawFromBytes, TOP, parentOf, pathBelow } from '../../core/platform/paths/raw-path.js';
import type { FolderFacts } from './folder-facts.js';
import type { Order } from './order.js';

export interface FolderRow {
  readonly path: RawPath;
  readonly isOpen: boolean;
  /** All entries below it, also those that are not visible. */
  readonly below: EntryRange;
  /** Visible files below it, as positions in the list of visible files. */
  readonly visible: EntryRange;
}

/** A row; a file is its index in the listing. */
export type TreeRow = number | FolderRow;

export interface Tree {
  readonly rows: readonly TreeRow[];
  readonly open: ReadonlySet<RawPath>;
}

export interface TreeSource {
  readonly listing: Listing;
  readonly facts: FolderFacts;
  /** Files in ascending order. */
  readonly visible: Uint32Array;
  /** Undefined for the order of paths. */
  readonly order: Order | undefined;
}

const SLASH = 0x2f;

/** The rows of a tree in which these folders are open. */
export function buildTree(source: TreeSource, open: ReadonlySet<RawPath>): Tree {
  const rows: TreeRow[] = [];
  const add = (folder: RawPath, positions: EntryRange): void => {
    const { folders, files } = childrenOf(source.listing, source.visible, folder, positions);
    for (const child of sortedFolders(folders, source)) {
      const isOpen = open.has(child.path);
      rows.push({ ...child, isOpen });
      if (isOpen) add(child.path, child.visible);
    }
    for (const index of sortedFiles(files, source.order)) rows.push(index);
  };
  add(TOP, { start: 0, end: source.visible.length });
  return { rows, open };
}

interface Children {
  readonly folders: readonly Omit<FolderRow, 'isOpen'>[];
  readonly files: readonly number[];
}

/** The direct children of a folder, among some of its files. */
function childrenOf(listing: Listing, visible: Uint32Array, folder: RawPath, { start, end }: EntryRange): Children {
  const folders: Omit<FolderRow, 'isOpen'>[] = [];
  const files: number[] = [];
  const skip = folder === '' ? 0 : folder.length + 1;
  for (let position = start; position < end;) {
    const index = visible[position] ?? 0;
    const slash = slashIn(listing.paths, listing.pathStart(index) + skip, listing.pathEnd(index));
    if (slash < 0) {
      files.push(index);
      position++;
      continue;
    }
    const path = rawFromBytes(listing.paths, listing.pathStart(index), slash);
    const below = listing.below(path);
    const next = firstAtOrAfter(visible, below.end, position);
    folders.push({ path, below, visible: { start: position, end: next } });
    position = next;
  }
  return { folders, files };
}

export interface SizedChild {
  /** Name; that of a folder ends with a slash. */
  readonly name: RawPath;
  readonly bytes: number;
}

/** The largest visible children of a folder, largest first. */
export function largestBelow(
  { listing, visible }: Pick<TreeSource, 'listing' | 'visible'>,
  folder: FolderRow,
  length: number,
): readonly SizedChild[] {
  const { folders, files } = childrenOf(listing, visible, folder.path, folder.visible);
  const largest: SizedChild[] = [];
  const add = (path: RawPath | number, bytes: number): void => {
    if (largest.length === length && bytes <= (largest.at(-1)?.bytes ?? 0)) return;
    const name = (typeof path === 'number' ? listing.path(path) : pathBelow(path, TOP)).slice(folder.path.length + 1);
    const after = largest.findIndex((child) => child.bytes < bytes);
    largest.splice(after < 0 ? largest.length : after, 0, { name, bytes });
    largest.splice(length);
  };
  for (const { path, below } of folders) add(path, listing.sum(below).bytes);
  for (const index of files) add(index, listing.sizeBytes(index));
  return largest;
}

function sortedFolders(folders: Children['folders'], { listing, facts, order }: TreeSource): Children['folders'] {
  if (order === undefined) return folders;
  const weight = ({ below }: Pick<FolderRow, 'below'>): number =>
    order.sort === 'size' ? listing.sum(below).bytes : (facts.newest(below) ?? -Infinity);
  const weighed = folders.map((folder) => ({ folder, by: weight(folder) }));
  return weighed.sort((a, b) => b.by - a.by).map(({ folder }) => folder);
}

function sortedFiles(files: readonly number[], order: Order | undefined): Iterable<number> {
  if (order === undefined) return files;
  // A typed array of numbers sorts without calling a function for each comparison.
  const ranks = Uint32Array.from(files, (index) => order.ranks[index] ?? 0).sort();
  return ranks.map((rank) => order.files[rank] ?? 0);
}

/** Position of the first slash; `indexOf` would search on to the end of all paths. */
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

/** Position of a file or folder in the tree; undefined when it is not in it. */
export function rowOf({ rows }: Tree, wanted: number | RawPath): number | undefined {
  const found = rows.findIndex((row) => (typeof row === 'number' ? row === wanted : row.path === wanted));
  return found < 0 ? undefined : found;
}

/** Bytes of a file, or of everything below a folder. */
export function rowBytes(listing: Listing, row: TreeRow | undefined): number {
  if (row === undefined) return 0;
  return typeof row === 'number' ? listing.sizeBytes(row) : listing.sum(row.below).bytes;
}

/** The share of its folder that a row takes, 0 to 1. */
export function shareOfFolder(listing: Listing, row: TreeRow | undefined): number {
  if (row === undefined) return 0;
  const folder = listing.below(parentOf(typeof row === 'number' ? listing.path(row) : row.path));
  return rowBytes(listing, row) / Math.max(1, listing.sum(folder).bytes);
}
