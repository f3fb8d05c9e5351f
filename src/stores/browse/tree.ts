// The folder tree as rows: the visible entries of open folders, folders before files. Folders without a visible file are left out.
import { AFTER_ALL } from '../../core/format/manifest/path-range.js';
import type { LazyListing } from '../../core/restore/listing/lazy-listing.js';
import type { EntryRange, Listing } from '../../core/restore/listing/listing.js';
import { type RawPath, rawFromBytes, TOP, joinPath, parentOf, pathBelow } from '../../core/platform/paths/raw-path.js';
import type { FolderFacts } from './folder-facts.js';
import type { Order } from './order.js';

export interface FolderRow {
  readonly path: RawPath;
  readonly isOpen: boolean;
  /** Set for an open folder of which not all names are known yet. */
  readonly isPartial: boolean;
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
  /** Open folders of which not all names are known, and the rows before which more will come. */
  readonly gaps: readonly { readonly folder: RawPath; readonly row: number }[];
}

export interface TreeSource {
  readonly listing: Listing;
  readonly facts: FolderFacts;
  /** Files in ascending order. */
  readonly visible: Uint32Array;
  /** Undefined for the order of paths. */
  readonly order: Order | undefined;
}

/** Says from where on the names in a folder are not known. */
type NamesRead = Pick<LazyListing, 'namesEnd'>;

const SLASH = 0x2f;

/** The rows of a tree in which these folders are open; `lazy` has the rest of a listing that is not whole. */
export function buildTree(source: TreeSource, open: ReadonlySet<RawPath>, lazy?: NamesRead): Tree {
  const rows: TreeRow[] = [];
  const gaps: { folder: RawPath; row: number }[] = [];
  const add = (folder: RawPath, positions: EntryRange, end: RawPath | undefined): void => {
    const { folders, files } =
      lazy === undefined ? childrenOf(source, folder, positions) : knownIn(source, folder, end);
    for (const child of sortedFolders(folders, source)) {
      const isOpen = open.has(child.path);
      const more = isOpen ? lazy?.namesEnd(child.path) : undefined;
      rows.push({ ...child, isOpen, isPartial: more !== undefined });
      if (isOpen) add(child.path, child.visible, more);
    }
    for (const index of sortedFiles(files, source.order)) rows.push(index);
    if (end !== undefined) gaps.push({ folder, row: rows.length });
  };
  add(TOP, { start: 0, end: source.visible.length }, lazy?.namesEnd(TOP));
  return { rows, open, gaps };
}

/** The direct children of a folder before `end`, also those of which nothing but the name is known. */
function knownIn(
  { listing, visible }: Pick<TreeSource, 'listing' | 'visible'>,
  folder: RawPath,
  end = AFTER_ALL,
): Children {
  const folders: Children['folders'][number][] = [];
  const files: number[] = [];
  for (const { name, index, isFolder } of listing.children(folder, TOP, { from: TOP, before: end })) {
    const path = joinPath(folder, name);
    if (!isFolder) {
      if (index !== undefined) files.push(index);
      continue;
    }
    const below = listing.below(path);
    const start = firstAtOrAfter(visible, below.start);
    const found = { start, end: firstAtOrAfter(visible, below.end, start) };
    if (found.end > start || !listing.isRead(path)) folders.push({ path, below, visible: found });
  }
  return { folders, files };
}

interface Children {
  readonly folders: readonly Omit<FolderRow, 'isOpen' | 'isPartial'>[];
  readonly files: readonly number[];
}

/** The direct children of a folder, among some of its files. */
function childrenOf(
  { listing, visible }: Pick<TreeSource, 'listing' | 'visible'>,
  folder: RawPath,
  { start, end }: EntryRange,
): Children {
  const folders: Children['folders'][number][] = [];
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
  source: Pick<TreeSource, 'listing' | 'visible'>,
  folder: FolderRow,
  length: number,
): readonly SizedChild[] {
  const { listing } = source;
  const { folders, files } = childrenOf(source, folder.path, folder.visible);
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

/** Bytes of a file, or of everything below a folder; undefined while they are not known. */
export function rowBytes(listing: Listing, row: TreeRow | undefined): number | undefined {
  if (row === undefined) return 0;
  return typeof row === 'number' ? listing.sizeBytes(row) : listing.sumBelow(row.path)?.bytes;
}

/** The share of its folder that a row takes, 0 to 1; 0 while it is not known. */
export function shareOfFolder(listing: Listing, row: TreeRow | undefined): number {
  if (row === undefined) return 0;
  const folder = listing.sumBelow(parentOf(typeof row === 'number' ? listing.path(row) : row.path));
  return folder === undefined ? 0 : (rowBytes(listing, row) ?? 0) / Math.max(1, folder.bytes);
}
