// What is archived of a source, and what is left out.
import type { RawPath } from '../../platform/paths/raw-path.js';

export interface FilterOptions {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
  /** Lines of `--exclude-file` files. */
  readonly excludeLines: readonly string[];
  readonly excludeCaches: boolean;
  /** `NAME` or `NAME:BEGINNING` of files; of a folder with such a file only that is archived. */
  readonly excludeIfPresent?: readonly string[];
  readonly oneFileSystem: boolean;
  /** Regular expressions of which one must match a path. */
  readonly regexes?: readonly string[];
  /** Paths that are archived, with what is below them; nothing else is. */
  readonly listed?: readonly RawPath[] | undefined;
  /** Only files with more bytes than this. */
  readonly largerThanBytes?: number | undefined;
  /** Only files with fewer bytes than this. */
  readonly smallerThanBytes?: number | undefined;
  /** Files with more bytes than this are left out. */
  readonly excludeLargerThanBytes?: number | undefined;
  /** True to archive only what lies directly in the folder, and no folder in it. */
  readonly isFlat?: boolean | undefined;
  /** Files that changed (ctime) after this, in ms since 1970, are left as they were in the version before. */
  readonly settledBeforeMs?: number | undefined;
  /** False to treat a `.archiverignore` as any other file. */
  readonly ignoreFiles?: boolean;
  /** Folders (absolute) that are never archived, such as the store itself and our own cache. */
  readonly skipTrees: readonly RawPath[];
  /**
   * What is made of DVC: `workspace` (default) archives links into a cache as files, and leaves out temporary files and contents of caches
   * that the workspace holds; `whole` leaves out none of them; `asIs` archives links as links as well.
   */
  readonly dvc?: 'workspace' | 'whole' | 'asIs';
  /** For dry runs: list what is left out, too, as dropped rows with a reason. */
  readonly namesLeftOut?: boolean;
}

export const NO_FILTER: FilterOptions = {
  exclude: [],
  include: [],
  excludeLines: [],
  excludeCaches: false,
  oneFileSystem: false,
  skipTrees: [],
};

/** `keep`: archived. `leave`: neither it nor what is below. `look`: not itself, but something below it may be. */
export type Verdict = 'keep' | 'leave' | 'look';
