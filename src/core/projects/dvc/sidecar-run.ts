// The work of writing `.dvc` files: a file at a time, and the files of a folder gathered until it is over.
import { ArchiverError } from '../../platform/failures/errors.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import { type RawPath, textFromRaw, rawFromText, baseName } from '../../platform/paths/raw-path.js';
import { Failures, resultPath } from '../../platform/failures/failure-list.js';
import type { OpenFolder } from '../../restore/output-tree/output-folder.js';
import { failureReason, fatalError } from '../../restore/output-tree/refusal.js';
import type { HashedFile } from './dir-hash.js';
import { FilePutter } from './file-putter.js';
import { FolderList } from './folder-list.js';
import { isInOwnFolder, isUntrackable, sidecarOf } from './untrackable.js';
import { sidecarText, type TrackedOut } from './sidecar-text.js';
import type { SidecarFile, SidecarResult, TrackedFolder } from './sidecar-types.js';
import { updatedSidecar } from './update-sidecar.js';

export interface SidecarRunOptions {
  readonly output: OpenFolder;
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
  private readonly folders: TrackedFolder[] = [];
  private readonly puts = { written: 0, unchanged: 0, replaced: 0 };
  private readonly firstReplaced: string[] = [];

  constructor(private readonly options: SidecarRunOptions) {
    this.putter = new FilePutter(options.output);
  }

  /** The next file in path order. @throws no-space, io when nothing can be written any more */
  add(file: SidecarFile): void {
    const { path, type } = file;
    if (type === 'directory') return;
    const folder = this.folderOf(path);
    if (folder === undefined ? isUntrackable(path) : isInOwnFolder(path)) {
      this.counts.ignored++;
      return;
    }
    if (type === 'symlink') {
      this.counts.links++;
      return;
    }
    if (this.folder !== undefined && this.folder.path !== folder) this.endFolder(this.folder);
    this.attempt(path, () => {
      const hashed = hashedFile(file, folder === undefined ? 0 : folder.length + 1);
      if (folder !== undefined) {
        (this.folder ??= new FolderList(folder)).add(hashed);
        return;
      }
      this.putSidecar(path, { ...hashed, isExecutable: (file.mode & EXECUTABLE) !== 0 });
      this.counts.files++;
    });
  }

  finish(): SidecarResult {
    if (this.folder !== undefined) this.endFolder(this.folder);
    const { counts, folders, puts, firstReplaced, failures } = this;
    return { ...counts, folders, ...puts, firstReplaced, failed: failures.list };
  }

  /** The outermost output that holds this path, so that its files come one after another. */
  private folderOf(path: RawPath): RawPath | undefined {
    if (this.options.folders.size === 0) return undefined;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash);
      if (this.options.folders.has(folder)) return folder;
    }
    return undefined;
  }

  private endFolder(folder: FolderList): void {
    this.folder = undefined;
    this.attempt(folder.path, () => {
      const { out, list } = folder.finish();
      this.putSidecar(folder.path, out);
      this.folders.push({ path: folder.path, ...out });
      if (this.options.openCache === undefined) return;
      this.cache ??= new FilePutter(this.options.openCache());
      // Named by what it holds: one that is there is this one.
      this.cache.put(rawFromText(`files/md5/${out.md5.slice(0, 2)}/${out.md5.slice(2)}`), (before) => before ?? list);
    });
  }

  private putSidecar(path: RawPath, out: TrackedOut): void {
    const rawName = baseName(path);
    const name = textFromRaw(rawName) ?? rawName; // hashedFile let only UTF-8 pass
    const put = this.putter.put(sidecarOf(path), (before) =>
      before === undefined ? sidecarText(name, out) : updatedSidecar(before, name, out),
    );
    this.puts[put]++;
    if (put === 'replaced' && this.firstReplaced.length < SHOWN) this.firstReplaced.push(resultPath(sidecarOf(path)));
  }

  /** Notes why one cannot be written; the others go on. @throws what ends everything */
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

/** What DVC knows of a file; its path begins after `skip` bytes. @throws when DVC cannot know it */
function hashedFile({ path, size, md5 }: SidecarFile, skip: number): HashedFile {
  const problem = pathProblem(path);
  if (problem !== undefined) throw refused(`refused: ${problem}`);
  if (md5 === undefined) throw refused('the manifest has no MD5 of it');
  const text = textFromRaw(path.slice(skip));
  if (text === undefined) throw refused('its name is not UTF-8, and DVC files must be');
  return { path: text, md5, size };
}

const refused = (reason: string): ArchiverError => new ArchiverError('unsupported', reason);
