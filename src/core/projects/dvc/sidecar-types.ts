// What goes into the writing of `.dvc` files, and what comes out.
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
  /** In path order; directories are passed over. */
  readonly files: Iterable<SidecarFile> | AsyncIterable<SidecarFile>;
  /** Made when it is missing. */
  readonly outputDir: string;
  /** Outputs that are folders, relative to the source. */
  readonly folders?: readonly RawPath[];
  /** DVC's cache, relative to `outputDir`: gets the list of each folder. Without it the lists go nowhere. */
  readonly cacheDir?: string;
  readonly signal?: AbortSignal;
}

export interface SidecarResult {
  /** `.dvc` files of files. */
  readonly files: number;
  /** Outputs that are folders, each with one `.dvc` file. */
  readonly folders: readonly TrackedFolder[];
  /** What became of the `.dvc` files. */
  readonly written: number;
  readonly unchanged: number;
  readonly replaced: number;
  /** The first ten that were replaced. */
  readonly firstReplaced: readonly string[];
  /** Files that DVC does not track: its own, and those of git. */
  readonly ignored: number;
  /** Symbolic links: DVC tracks what they lead to. */
  readonly links: number;
  /** Files that no `.dvc` file could be written for. */
  readonly failed: readonly Failure[];
}
