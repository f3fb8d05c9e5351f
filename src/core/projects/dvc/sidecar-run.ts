// Writes `.dvc` files one after another, gathering the files of a tracked folder until it ends.
import { ArchiverError } from '../../platform/failures/errors.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import { baseName, displayPath, type RawPath, rawFromText, textFromRaw } from '../../platform/paths/raw-path.js';
import { Failures, resultPath } from '../../platform/failures/failure-list.js';
import type { OpenFolder } from '../../restore/output-tree/output-folder.js';
import { failureReason, fatalError } from '../../restore/output-tree/refusal.js';
import { FilePutter } from './file-putter.js';
import { FolderList } from './folder-list.js';
import { GitignoreLines } from './gitignore-lines.js';
import { LEFT_OUT_REASONS, type LeftOutReason, type SidecarGuard, type Verdict } from './guard.js';
import type { Unsettled } from './owners.js';
import type { HashedFile } from './dir-hash.js';
import { type SidecarSize, sidecarText, type TrackedOut, updatedSidecar } from './sidecar-text.js';
import type { SidecarFile, SidecarResult, TrackedFolder } from './sidecar-types.js';
import { isInOwnFolder, isUntrackable, sidecarOf } from './untrackable.js';

export interface SidecarRunOptions {
  readonly output: OpenFolder;
  /** That of the output folder. */
  readonly guard: SidecarGuard;
  readonly folders: ReadonlySet<RawPath>;
  /** Opens DVC's cache, when the first folder needs it. */
  readonly openCache: (() => OpenFolder) | undefined;
}

const EXECUTABLE = 0o111;
const SHOWN = 10;

export class SidecarRun {
  private readonly putter: FilePutter;
  private cache: FilePutter | undefined;
  private folder: FolderList | undefined;
  private readonly failures = new Failures();
  private readonly counts = { files: 0, ignored: 0, links: 0 };
  private readonly leftOut = Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0])) as Record<
    LeftOutReason,
    number
  >;
  private readonly unsettled = new Set<Unsettled>();
  private readonly lines = new GitignoreLines();
  private readonly folders: TrackedFolder[] = [];
  private readonly puts = { written: 0, unchanged: 0, replaced: 0 };
  private readonly firstReplaced: string[] = [];

  constructor(private readonly options: SidecarRunOptions) {
    this.putter = new FilePutter(options.output);
  }

  /** True for a file about which a guard decides. */
  isCandidate({ path, type, md5 }: SidecarFile): boolean {
    if (type === 'directory' || pathProblem(path) !== undefined) return false;
    if (this.folderOf(path) !== undefined) return true;
    return !isUntrackable(path) && (type !== 'symlink' || md5 !== undefined);
  }

  /**
   * Adds the next file in path order.
   * @param verdict What becomes of the file, or of the tracked folder that it is in; undefined if it is no candidate
   * @throws no-space, io when nothing can be written any more
   */
  add(file: SidecarFile, verdict: Verdict | undefined): void {
    const { path, type, md5 } = file;
    if (type === 'directory') return;
    const folder = this.folderOf(path);
    if (this.folder !== undefined && this.folder.path !== folder) this.endFolder(this.folder);
    if (folder === undefined ? isUntrackable(path) : isInOwnFolder(path)) {
      this.counts.ignored++;
      return;
    }
    if (verdict?.left !== undefined) {
      this.leftOut[verdict.left]++;
      if (verdict.unsettled !== undefined) this.unsettled.add(verdict.unsettled);
      return;
    }
    if (folder !== undefined) {
      this.addToFolder(file, folder, verdict);
      return;
    }
    if (type === 'symlink' && md5 === undefined) {
      this.counts.links++;
      return;
    }
    this.attempt(path, () => {
      this.putSidecar(path, { ...hashedFile(file, 0), isExecutable: (file.mode & EXECUTABLE) !== 0 }, verdict);
      this.counts.files++;
    });
  }

  finish(): SidecarResult {
    if (this.folder !== undefined) this.endFolder(this.folder);
    const gitignoreLines = this.lines.write(this.putter, (path, work) => this.attempt(path, work));
    for (const { file, reason } of this.unsettled) this.failures.add(file, reason);
    const { counts, leftOut, folders, puts, firstReplaced, failures } = this;
    return { ...counts, leftOut, gitignoreLines, folders, ...puts, firstReplaced, failed: failures.list };
  }

  /** Returns the outermost output that contains this path, so that its files are consecutive. */
  folderOf(path: RawPath): RawPath | undefined {
    if (this.options.folders.size === 0) return undefined;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash);
      if (this.options.folders.has(folder)) return folder;
    }
    return undefined;
  }

  private addToFolder(file: SidecarFile, path: RawPath, verdict: Verdict | undefined): void {
    if (this.options.guard.isIgnoredInside(file.path)) {
      this.leftOut.dvcIgnored++;
      return;
    }
    const folder = (this.folder ??= new FolderList(path, verdict));
    this.attempt(file.path, () => {
      try {
        if (file.type === 'symlink' && file.md5 === undefined)
          throw refused('it is a symbolic link, whose content the upload does not have');
        folder.add(hashedFile(file, path.length + 1));
      } catch (error) {
        folder.isIncomplete = true;
        throw error;
      }
    });
  }

  private endFolder(folder: FolderList): void {
    this.folder = undefined;
    this.attempt(folder.path, () => {
      if (folder.isIncomplete) throw refused('not all of its files have a hash');
      const { out, list } = folder.finish();
      this.putSidecar(folder.path, out, folder.verdict);
      this.folders.push({ path: folder.path, ...out });
      if (this.options.openCache === undefined) return;
      this.cache ??= new FilePutter(this.options.openCache());
      // The name is the digest of the content, so an existing file is the same.
      this.cache.put(rawFromText(`files/md5/${out.md5.slice(0, 2)}/${out.md5.slice(2)}`), (before) => before ?? list);
    });
  }

  private putSidecar(path: RawPath, out: TrackedOut, verdict: Verdict | undefined): void {
    const rawName = baseName(path);
    const name = textFromRaw(rawName) ?? displayPath(rawName); // hashedFile accepted only UTF-8
    const put = this.putter.put(sidecarOf(path), (before) =>
      before === undefined ? sidecarText(name, out) : updatedSidecar(before, name, out),
    );
    this.puts[put]++;
    if (verdict?.left === undefined && verdict?.needsIgnoreLine === true) this.lines.add(path);
    if (put === 'replaced' && this.firstReplaced.length < SHOWN) this.firstReplaced.push(resultPath(sidecarOf(path)));
  }

  /** Records a failure to write one file; the others continue. @throws errors that end everything */
  private attempt(path: RawPath, work: () => void): void {
    try {
      work();
    } catch (error) {
      const fatal = fatalError(error);
      if (fatal !== undefined) throw fatal;
      this.failures.add(path, failureReason(error));
    }
  }
}

/** Returns what DVC needs to know about a file; `skip` bytes of its path are left out. @throws when DVC cannot track it */
function hashedFile({ path, size, md5 }: SidecarFile, skip: number): SidecarSize<HashedFile> {
  const problem = pathProblem(path);
  if (problem !== undefined) throw refused(`refused: ${problem}`);
  if (md5 === undefined) throw refused('the manifest has no MD5 of it');
  const text = textFromRaw(path.slice(skip));
  if (text === undefined) throw refused('its name is not UTF-8, and DVC files must be');
  return { path: text, md5, size };
}

const refused = (reason: string): ArchiverError => new ArchiverError('unsupported', reason);
