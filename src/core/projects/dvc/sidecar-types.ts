// Options and results of writing `.dvc` files.
import type { EntryType } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import type { FolderHash } from './dir-hash.js';

export interface SidecarFile {
  readonly path: RawPath;
  readonly type: EntryType;
  readonly size: number;
  readonly mode: number;
  readonly md5?: string | undefined;
}

/** A folder as its `.dvc` file describes it. */
export interface TrackedFolder extends FolderHash {
  readonly path: RawPath;
}

export interface WriteSidecarsOptions {
  /** In path order; directories are ignored. */
  readonly files: Iterable<SidecarFile> | AsyncIterable<SidecarFile>;
  /** Created if missing. */
  readonly outputDir: string;
  /** Outputs that are folders, relative to the source. */
  readonly folders?: readonly RawPath[];
  /** DVC's cache, relative to `outputDir`, for the list of each folder. Without it the lists are discarded. */
  readonly cacheDir?: string;
  readonly signal?: AbortSignal;
}

export interface SidecarResult {
  /** Number of `.dvc` files for single files. */
  readonly files: number;
  /** Outputs that are folders, each with one `.dvc` file. */
  readonly folders: readonly TrackedFolder[];
  /** Numbers of `.dvc` files by outcome. */
  readonly written: number;
  readonly unchanged: number;
  readonly replaced: number;
  /** The first ten that were replaced. */
  readonly firstReplaced: readonly string[];
  /** Number of files that DVC does not track: its own, and those of git. */
  readonly ignored: number;
  /** Number of symbolic links; DVC tracks their targets. */
  readonly links: number;
  /** Files for which no `.dvc` file could be written. */
  readonly failed: readonly Failure[];
}
