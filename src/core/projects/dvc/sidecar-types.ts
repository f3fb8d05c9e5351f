// Options and results of writing `.dvc` files.
import type { EntryType } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import type { FolderHash } from './dir-hash.js';
import type { LeftOutReason, SidecarGuard } from './guard.js';
import type { SidecarSize } from './sidecar-text.js';

export interface SidecarFile {
  readonly path: RawPath;
  readonly type: EntryType;
  /** Undefined for a link into a DVC cache whose content is not in the upload. */
  readonly size: number | undefined;
  readonly mode: number;
  readonly md5?: string | undefined;
}

/** A folder as its `.dvc` file describes it; without a size if that of a file is not known. */
export type TrackedFolder = SidecarSize<FolderHash> & { readonly path: RawPath };

export interface WriteSidecarsOptions {
  /** In path order; directories are ignored. */
  readonly files: Iterable<SidecarFile> | AsyncIterable<SidecarFile>;
  /** Created if missing. */
  readonly outputDir: string;
  /** Each decides about every path: that of the output folder first, then that of the folder that was uploaded, if it is another one. */
  readonly guards: readonly [SidecarGuard, ...SidecarGuard[]];
  /** Outputs that are folders, relative to the source. */
  readonly folders?: readonly RawPath[];
  /** True for a path that a `.dvc` file beside it tracked when it was uploaded. */
  readonly isKnown?: (path: RawPath) => boolean;
  /** DVC's cache, for the list of each folder. Without it the lists are discarded. */
  readonly cacheDir?: string | undefined;
  readonly signal: AbortSignal;
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
  /** Numbers of files that get no `.dvc` file. */
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  /** Lines that were added to .gitignore files. */
  readonly gitignoreLines: number;
  /** Files for which no `.dvc` file could be written, and files of DVC that do not say what they track. */
  readonly failed: readonly Failure[];
}
