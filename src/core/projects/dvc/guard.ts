// Decides which paths of a folder get a `.dvc` file: none that something tracks already (DVC or git), none that either ignores, and none
// that `dvc add` would refuse.
import { existsSync, lstatSync } from 'node:fs';
import { posix } from 'node:path';
import { systemCode, usageError } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import {
  baseName,
  displayPath,
  fsPath,
  joinPath,
  parentOf,
  pathBelow,
  printable,
  type RawPath,
  textFromRaw,
  TOP,
} from '../../platform/paths/raw-path.js';
import { GitFiles, type GitTracked } from '../git/git-files.js';
import type { ReadGitOptions } from '../git/read-git.js';
import { readDvcConfig } from './dvc-config.js';
import { type DvcIgnore, dvcRootOf, localDvcIgnore } from './dvc-ignore.js';
import { type Owners, readOwners, type Unsettled } from './owners.js';
import { sidecarOf } from './untrackable.js';

/**
 * Why a file gets no `.dvc` file: something tracks it already (`owned`), or may (`unsettled`); git tracks or ignores it, or DVC does; a
 * folder above it is a symbolic link; DVC or .gitignore cannot hold its name.
 */
export const LEFT_OUT_REASONS = [
  'owned',
  'unsettled',
  'gitTracked',
  'gitIgnored',
  'dvcIgnored',
  'linkedFolders',
  'unusableNames',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** What becomes of a path: a reason to leave it out; or it gets a `.dvc` file, and a line in .gitignore. */
export type Verdict =
  | { readonly left: LeftOutReason; readonly unsettled?: Unsettled }
  | { readonly left?: undefined; readonly needsIgnoreLine: boolean };

export interface GuardOptions extends ReadGitOptions {
  /** Absolute path; need not exist. */
  readonly folder: RawPath;
}

/** Names that DVC takes for the address of something elsewhere, and those that no line of .gitignore can hold. */
const UNUSABLE =
  /^(?:[a-z]*s3|gs|gcs|gdrive|azure|abfss?|adl|hdfs|webhdfs|swebhdfs|oss|https?|ssh|webdavs?|remote|local|git|dvc|hf):|[\r\n]/i;
const WRITE: Verdict = { needsIgnoreLine: false };

export class SidecarGuard {
  private readonly links = new Map<RawPath, boolean>();

  private constructor(
    /** Root of the DVC repository; of a folder without one, the folder itself. */
    private readonly root: RawPath,
    /** Path of the folder below the root. */
    private readonly below: RawPath,
    /** DVC's cache, as an absolute path; undefined outside of DVC repositories. */
    readonly cacheFolder: string | undefined,
    private readonly owners: Owners,
    private readonly ignore: DvcIgnore,
    private readonly git: { readonly files: GitFiles; readonly tracked: GitTracked } | undefined,
  ) {}

  /** Reads the repository of a folder. @throws integrity for a damaged dvc.yaml; usage for a repository of DVC 2; usage, io when git cannot be asked; cancelled */
  static async open({ folder, ...options }: GuardOptions): Promise<SidecarGuard> {
    const found = dvcRootOf(folder);
    const root = found ?? folder;
    const text = textFromRaw(root);
    if (text === undefined) throw usageError(`the name of ${displayPath(root)} is not UTF-8, which DVC needs`);
    const config = found && readDvcConfig(text);
    const files = config?.hasNoGit === true ? undefined : GitFiles.open(root, options);
    const ignore = localDvcIgnore(root);
    const owners = await readOwners({ root, ignore, git: files, signal: options.signal });
    if (config !== undefined) refuseDvc2(text, owners, config.cacheFolder);
    const git = files && { files, tracked: await files.tracked() };
    const below = root === '/' ? folder.slice(1) : folder.slice(root.length + 1);
    return new SidecarGuard(root, below, config?.cacheFolder, owners, ignore, git);
  }

  /** Returns what the `.dvc` file beside it tracks as a folder, relative to the folder of the guard. */
  trackedFolders(): readonly RawPath[] {
    const prefix = this.below === TOP ? TOP : pathBelow(this.below, TOP);
    return [...this.owners.outs]
      .filter(([path, owner]) => owner.isPlain && owner.isFolder && path.startsWith(prefix))
      .map(([path]) => path.slice(prefix.length));
  }

  /** True if DVC ignores a file in a folder that it tracks. */
  isIgnoredInside(path: RawPath): boolean {
    return this.ignore.isIgnored(joinPath(this.below, path), false);
  }

  /**
   * Decides about files and folders.
   * @param isKnown True for a path that was tracked by its `.dvc` file before, even if git ignores it
   * @throws usage, io when git cannot be asked; cancelled
   */
  async judge(
    targets: readonly { readonly path: RawPath; readonly isFolder: boolean }[],
    isKnown: (path: RawPath) => boolean,
  ): Promise<ReadonlyMap<RawPath, Verdict>> {
    const verdicts = new Map<RawPath, Verdict>();
    const asked: RawPath[] = [];
    for (const { path, isFolder } of targets) {
      const verdict = this.verdictOf(joinPath(this.below, path), isFolder);
      verdicts.set(path, verdict);
      if (verdict.left === undefined) asked.push(path);
    }
    if (this.git === undefined) return verdicts;
    const inRoot = (path: RawPath): RawPath => joinPath(this.below, path);
    const ignored = await this.git.files.ignored(asked.flatMap((path) => [inRoot(path), sidecarOf(inRoot(path))]));
    for (const path of asked) {
      const isIgnored = ignored.has(inRoot(path));
      const isTracked = isKnown(path) || this.owners.ownerOf(inRoot(path)) !== undefined;
      if (ignored.has(sidecarOf(inRoot(path))) || (isIgnored && !isTracked)) verdicts.set(path, { left: 'gitIgnored' });
      else verdicts.set(path, { needsIgnoreLine: this.cacheFolder !== undefined && !isIgnored });
    }
    return verdicts;
  }

  private verdictOf(path: RawPath, isFolder: boolean): Verdict {
    const unsettled = this.owners.unsettledBy(path);
    if (unsettled !== undefined) return { left: 'unsettled', unsettled };
    if (this.owners.isTaken(path)) return { left: 'owned' };
    if (this.ignore.isIgnored(path, isFolder) || this.ignore.isIgnored(sidecarOf(path), false))
      return { left: 'dvcIgnored' };
    if (UNUSABLE.test(baseName(path))) return { left: 'unusableNames' };
    if (this.isBehindLink(parentOf(path))) return { left: 'linkedFolders' };
    if (this.git?.tracked.has(path) === true) return { left: 'gitTracked' };
    return WRITE;
  }

  /** True if this folder or one above it is a symbolic link. */
  private isBehindLink(folder: RawPath): boolean {
    if (folder === TOP) return false;
    const known = this.links.get(folder);
    if (known !== undefined) return known;
    const isLink =
      this.isBehindLink(parentOf(folder)) || isLinkAt(pathBelow(this.root === '/' ? TOP : this.root, folder));
    this.links.set(folder, isLink);
    return isLink;
  }
}

/** Refuses a repository that DVC 3 has never written to: DVC 2 reads no file with `hash`. @throws usage */
function refuseDvc2(root: string, { forms }: Owners, cacheFolder: string): void {
  if (!forms.has('dvc2') || forms.has('dvc3') || existsSync(posix.join(cacheFolder, 'files/md5'))) return;
  throw usageError(
    `${printable(root)} is a repository of DVC 2, which cannot read the .dvc files that would be written`,
    '`dvc cache migrate --dvc-files` of DVC 3 makes it one of DVC 3',
  );
}

function isLinkAt(path: RawPath): boolean {
  try {
    return lstatSync(fsPath(path)).isSymbolicLink();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false;
    throw fileFailure('read', displayPath(path), error);
  }
}
