// The sources of an upload as folders that are held open. What is below them is reached from there, through no symbolic link, so that
// nobody can lead a removal elsewhere by exchanging a folder for a link.
import { sourcesOf, isUnited } from '../../archive/scan/united-source.js';
import { AT_FDCWD, type Libc } from '../../platform/libc/libc.js';
import { FOLDER_FLAGS, openFolderBelow } from '../../platform/libc/open-below.js';
import {
  baseName,
  CURRENT_FOLDER,
  displayPath,
  parentOf,
  type RawPath,
  rawFromText,
  splitPath,
  TOP,
} from '../../platform/paths/raw-path.js';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, systemCode } from '../../platform/failures/errors.js';

interface Root {
  readonly fd: number;
  /** True for the folder of a source that is a file. */
  readonly isFile: boolean;
}

const unopened = (path: RawPath, error: unknown): ArchiverError =>
  new ArchiverError('io', `the source ${displayPath(path)} cannot be opened again: ${reasonText(error)}`, {
    cause: error,
  });

/** A name in an open folder. */
export interface Place {
  readonly folder: number;
  readonly name: RawPath;
}

export class SourceTree {
  /** By the first part of paths below several sources; a single folder is under the empty name. */
  private readonly roots = new Map<RawPath, Root>();
  private held: { readonly fd: number; readonly path: RawPath } | undefined;

  /** Opens the sources. @throws io */
  constructor(
    private readonly libc: Libc,
    source: RawPath,
  ) {
    for (const path of isUnited(source) ? sourcesOf(source) : [source])
      this.roots.set(isUnited(source) ? baseName(path) : TOP, this.openRoot(path, isUnited(source)));
  }

  /** A path that was resolved when the upload began has no link in it. */
  private openRoot(path: RawPath, mayBeFile: boolean): Root {
    try {
      return { fd: this.openAbsolute(path), isFile: false };
    } catch (error) {
      if (!mayBeFile || systemCode(error) !== 'ENOTDIR') throw unopened(path, error);
    }
    try {
      return { fd: this.openAbsolute(parentOf(path)), isFile: true };
    } catch (error) {
      throw unopened(path, error);
    }
  }

  private openAbsolute(path: RawPath): number {
    const top = this.libc.openat(AT_FDCWD, rawFromText('/'), FOLDER_FLAGS, 0);
    if (path.length < 2) return top;
    try {
      return openFolderBelow(this.libc, top, path.slice(1));
    } finally {
      this.libc.close(top);
    }
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
    if (root.isFile && below !== first) throw new ArchiverError('io', 'refused: its source is no folder any more');
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
