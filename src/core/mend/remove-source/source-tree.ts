// The sources of an upload as folders that are held open. What is below them is reached from there, through no symbolic link, so that
// nobody can lead a removal elsewhere by exchanging a folder for a link.
import { sourcesOf, isUnited } from '../../archive/scan/united-source.js';
import { AT_FDCWD, type Libc, O_DIRECTORY, O_RDONLY } from '../../platform/libc/libc.js';
import { FOLDER_FLAGS, openFolderBelow } from '../../platform/libc/open-below.js';
import { newStat } from '../../platform/libc/stat.js';
import {
  baseName,
  CURRENT_FOLDER,
  parentOf,
  type RawPath,
  rawFromText,
  splitPath,
  TOP,
} from '../../platform/paths/raw-path.js';
import { ArchiverError } from '../../platform/failures/errors.js';

const TYPE_MASK = 0o170000;
const FOLDER_TYPE = 0o040000;

/** A name in an open folder. */
export interface Place {
  readonly folder: number;
  readonly name: RawPath;
}

export class SourceTree {
  /** By the first part of paths below several sources; a single folder is under the empty name. */
  private readonly roots = new Map<RawPath, { readonly fd: number; readonly isFile: boolean }>();
  private held: { readonly fd: number; readonly path: RawPath } | undefined;

  /** Opens the sources. @throws system errors */
  constructor(
    private readonly libc: Libc,
    source: RawPath,
  ) {
    for (const path of isUnited(source) ? sourcesOf(source) : [source])
      this.roots.set(isUnited(source) ? baseName(path) : TOP, this.openRoot(path));
  }

  private openRoot(path: RawPath): { readonly fd: number; readonly isFile: boolean } {
    const stat = newStat();
    this.libc.statat(AT_FDCWD, path, stat);
    const isFile = (stat.mode & TYPE_MASK) !== FOLDER_TYPE;
    const folder = isFile ? parentOf(path) || rawFromText('/') : path;
    return { fd: this.libc.openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY, 0), isFile };
  }

  /** Folders that are sources. */
  get tops(): readonly RawPath[] {
    return [...this.roots].flatMap(([name, { isFile }]) => (isFile ? [] : [name]));
  }

  /** The place of a path of the version; valid until the next call. @throws system errors: ELOOP for a link in its way */
  place(path: RawPath): Place {
    const [folderPath, name] = splitPath(path);
    return { folder: this.folder(folderPath, path), name };
  }

  private folder(path: RawPath, below: RawPath): number {
    const [root, rest] = this.rootOf(path, below);
    if (rest === '') return root;
    if (this.held?.path === path) return this.held.fd;
    this.release();
    const fd = openFolderBelow(this.libc, root, rest);
    this.held = { fd, path };
    return fd;
  }

  private rootOf(path: RawPath, below: RawPath): readonly [fd: number, rest: RawPath] {
    const single = this.roots.get(TOP);
    if (single !== undefined) return [single.fd, path];
    const [first = TOP] = below.split('/');
    const root = this.roots.get(first);
    if (root === undefined) throw new ArchiverError('internal', 'a path of the version is below none of its sources');
    return [root.fd, path.slice(first.length + 1)];
  }

  /** Opens a folder of the version for listing; to be closed. @throws system errors */
  open(path: RawPath): number {
    const [root, rest] = this.rootOf(path, path);
    return rest === ''
      ? this.libc.openat(root, CURRENT_FOLDER, FOLDER_FLAGS, 0)
      : openFolderBelow(this.libc, root, rest);
  }

  private release(): void {
    if (this.held !== undefined) this.libc.close(this.held.fd);
    this.held = undefined;
  }

  close(): void {
    this.release();
    for (const { fd } of this.roots.values()) this.libc.close(fd);
  }
}
