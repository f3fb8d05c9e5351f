// Several source folders seen as one: a root that does not exist, with the folders below it under their base names. Such
// a root is a byte string that no real path can be, so that it goes wherever a source goes, also to other threads.
import type { Stat } from '../../platform/libc/stat.js';
import {
  type RawPath,
  TOP,
  rawFromText,
  baseName,
  joinParts,
  pathBelow,
  withEnd,
} from '../../platform/paths/raw-path.js';
import { openSourceFs } from './open-source-fs.js';
import type { SourceFs } from './source-fs.js';

const MARK = rawFromText('\0');
const ROOT = rawFromText('/');

/** Returns the root of these folders, which are absolute and have different base names; a single folder is its own root. */
export function unitedRoot(folders: readonly RawPath[]): RawPath {
  const [first = TOP] = folders;
  return folders.length === 1 ? first : joinParts([TOP, ...folders], '\0');
}

const foldersOf = (root: RawPath): readonly RawPath[] => root.split(MARK).slice(1);

/** Returns the real path of something below a united root; any other path as it is, such as that of a content in a DVC cache. */
export function realPathOf(root: RawPath, path: RawPath): RawPath {
  if (!root.startsWith(MARK) || !path.startsWith(MARK)) return path;
  if (path === root) return foldersOf(root)[0] ?? ROOT;
  const [name = TOP, ...rest] = path.slice(root.length + 1).split('/');
  return joinParts([folderNamed(root, name), ...rest]);
}

/** Returns the path below a united root at which a real path below one of its folders is seen. */
export function seenPathOf(root: RawPath, folder: RawPath, path: RawPath): RawPath {
  return root.startsWith(MARK) ? pathBelow(root, withEnd(baseName(folder), path.slice(folder.length))) : path;
}

const folderNamed = (root: RawPath, name: RawPath): RawPath =>
  foldersOf(root).find((folder) => baseName(folder) === name) ?? withEnd(ROOT, MARK);

/** Returns the view for reading `root`, be it one folder or several. */
export function openSource(root: RawPath, fs: SourceFs = openSourceFs()): SourceFs {
  return root.startsWith(MARK) ? new UnitedFs(fs, root) : fs;
}

class UnitedFs implements SourceFs {
  readonly loss: string | undefined;
  /** Opened roots of the folders, by the descriptor of the first of them, which stands for all. */
  private readonly opened = new Map<number, ReadonlyMap<RawPath, number>>();

  constructor(
    private readonly fs: SourceFs,
    private readonly root: RawPath,
  ) {
    this.loss = fs.loss;
  }

  private real(path: RawPath): RawPath {
    return realPathOf(this.root, path);
  }

  readDirectory(path: RawPath): Iterable<RawPath> {
    return path === this.root ? foldersOf(this.root).map(baseName) : this.fs.readDirectory(this.real(path));
  }

  lstat(path: RawPath, stat: Stat): void {
    this.fs.lstat(this.real(path), stat);
  }

  readLink(path: RawPath): RawPath {
    return this.fs.readLink(this.real(path));
  }

  contentOf(path: RawPath, target: RawPath): RawPath | undefined {
    return this.fs.contentOf(this.real(path), target);
  }

  isInRepository(path: RawPath): boolean {
    return this.fs.isInRepository(this.real(path));
  }

  openRoot(): number {
    const roots = new Map(foldersOf(this.root).map((folder) => [folder, this.fs.openRoot(folder)]));
    const [first = -1] = roots.values();
    this.opened.set(first, roots);
    return first;
  }

  openFile(root: number, _rootPath: RawPath, path: RawPath): number {
    const slash = path.indexOf('/');
    const folder = folderNamed(this.root, path.slice(0, slash));
    return this.fs.openFile(this.opened.get(root)?.get(folder) ?? root, folder, path.slice(slash + 1));
  }

  fstat(fd: number, stat: Stat): void {
    this.fs.fstat(fd, stat);
  }

  close(fd: number): void {
    const roots = this.opened.get(fd);
    this.opened.delete(fd);
    for (const each of roots?.values() ?? [fd]) this.fs.close(each);
  }

  xattrs(fd: number): Map<RawPath, Buffer> | undefined {
    return this.fs.xattrs(fd);
  }

  xattrsAt(path: RawPath): Map<RawPath, Buffer> | undefined {
    return this.fs.xattrsAt(this.real(path));
  }

  extents(fd: number, size: number): [number, number][] | undefined {
    return this.fs.extents(fd, size);
  }
}
