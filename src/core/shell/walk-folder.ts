// What lies below a folder of an archive, as deep as it is wanted: each folder, whether it has an entry or not, followed by what is in it.
import type { LazyListing, Reading } from '../restore/listing/lazy-listing.js';
import type { Child, Listing } from '../restore/listing/listing.js';
import { joinPath, type RawPath, TOP } from '../platform/paths/raw-path.js';

export interface Walked extends Child {
  readonly path: RawPath;
  /** 1 for what lies in the folder itself. */
  readonly depth: number;
  /** Whether nothing follows it in its folder. */
  readonly isLast: boolean;
}

/** Reads all names in a folder, and not what is below them. @throws what `readNames` throws */
export async function readAllNames(lazy: LazyListing, folder: RawPath, how: Reading): Promise<void> {
  while (!(await lazy.readNames(folder, TOP, how)));
}

/** Reads what `walkFolder` wants: everything below a folder, or the names of so many levels. @throws what reading them throws */
export async function readLevels(lazy: LazyListing, folder: RawPath, maxDepth: number, how: Reading): Promise<Listing> {
  if (maxDepth === Infinity) return await lazy.readBelow(folder, how);
  let level: readonly RawPath[] = [folder];
  for (let depth = 1; depth <= maxDepth && level.length > 0; depth++) {
    for (const path of level) await readAllNames(lazy, path, how);
    level = level.flatMap((path) => foldersIn(lazy.listing, path));
  }
  return lazy.listing;
}

function foldersIn(listing: Listing, folder: RawPath): readonly RawPath[] {
  const folders: RawPath[] = [];
  for (const { name, isFolder } of listing.children(folder)) if (isFolder) folders.push(joinPath(folder, name));
  return folders;
}

export interface WalkOptions {
  /** Levels below the folder. */
  readonly maxDepth?: number;
  /** Others are passed over, and what is below them. */
  readonly isWanted?: (child: Child) => boolean;
}

/** Yields everything below a folder that has been read. */
export function* walkFolder(
  listing: Listing,
  folder: RawPath,
  { maxDepth = Infinity, isWanted = () => true }: WalkOptions = {},
): Generator<Walked> {
  const open = (path: RawPath): Level => new Level(path, listing.children(path), isWanted);
  const levels = maxDepth < 1 ? [] : [open(folder)];
  for (let level; (level = levels.at(-1)) !== undefined;) {
    const child = level.take();
    if (child === undefined) {
      levels.pop();
      continue;
    }
    const path = joinPath(level.folder, child.name);
    const depth = levels.length;
    yield { ...child, path, depth, isLast: level.next === undefined };
    if (child.isFolder && depth < maxDepth) levels.push(open(path));
  }
}

/** The children of a folder that are still to come; the next one is known. */
class Level {
  next: Child | undefined;

  constructor(
    readonly folder: RawPath,
    private readonly children: Iterator<Child>,
    private readonly isWanted: (child: Child) => boolean,
  ) {
    this.take();
  }

  /** Returns the next one and goes on. */
  take(): Child | undefined {
    const taken = this.next;
    do {
      const { value, done } = this.children.next();
      this.next = done === true ? undefined : value;
    } while (this.next !== undefined && !this.isWanted(this.next));
    return taken;
  }
}
