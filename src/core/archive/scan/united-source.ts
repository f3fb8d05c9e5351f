// Several sources seen as one folder: a root that does not exist, with folders and files below it under their base names. Such
// a root is a byte string that no real path can be, so that it goes wherever a source goes, also to other threads.
import { newStat, type Stat } from '../../platform/libc/stat.js';
import {
  type RawPath,
  TOP,
  rawFromText,
  baseName,
  joinParts,
  parentOf,
  pathBelow,
  withEnd,
} from '../../platform/paths/raw-path.js';
import { S_IFDIR, S_IFMT } from './left-by-kind.js';
import { openSourceFs } from './open-source-fs.js';
import type { SourceFs } from './source-fs.js';
import { isSpool, spoolFs } from './spool-fs.js';

const MARK = rawFromText('\0');
const ROOT = rawFromText('/');
/** Where nothing can be. */
const NONE = withEnd(ROOT, MARK);

/** Returns the root of these sources, which are absolute and have different base names; a single folder is its own root. */
export function unitedRoot(sources: readonly RawPath[], isOneFolder = sources.length === 1): RawPath {
  const [first = TOP] = sources;
  return isOneFolder ? first : joinParts([TOP, ...sources], '\0');
}

/** True for the root of several sources, or of one file. */
export const isUnited = (root: RawPath): boolean => root.startsWith(MARK);

/** Returns the sources below a united root. */
export const sourcesOf = (root: RawPath): readonly RawPath[] => root.split(MARK).slice(1);

/** Returns the real path of something below a united root; any other path as it is, such as that of a content in a DVC cache. */
export function realPathOf(root: RawPath, path: RawPath, named?: ReadonlyMap<RawPath, RawPath>): RawPath {
  if (!isUnited(root) || !path.startsWith(MARK)) return path;
  if (path === root) return sourcesOf(root)[0] ?? ROOT;
  const [name = TOP, ...rest] = path.slice(root.length + 1).split('/');
  const source = named?.get(name) ?? sourcesOf(root).find((one) => baseName(one) === name);
  return joinParts([source ?? NONE, ...rest]);
}

/** Returns the path below a united root at which a real path below one of its folders is seen. */
export function seenPathOf(root: RawPath, folder: RawPath, path: RawPath): RawPath {
  return isUnited(root) ? pathBelow(root, withEnd(baseName(folder), path.slice(folder.length))) : path;
}

const folderOf = (file: RawPath): RawPath => (parentOf(file) === TOP ? ROOT : parentOf(file));

/** Returns the view for reading `root`, be it one folder or several. */
export function openSource(root: RawPath, fs: SourceFs = openSourceFs()): SourceFs {
  if (isSpool(root)) return spoolFs(root, fs);
  return isUnited(root) ? new UnitedFs(fs, root) : fs;
}

/** What the folder of a single file lets its owner do, so that something can be restored into it. */
const OWNER = 0o700;

class UnitedFs implements SourceFs {
  readonly loss: string | undefined;
  /** The sources by their names: a shell may have named thousands of files. */
  private readonly named: ReadonlyMap<RawPath, RawPath>;
  /** Opened roots of the sources, by the descriptor of the first of them, which stands for all. */
  private readonly opened = new Map<number, ReadonlyMap<RawPath, number>>();

  constructor(
    private readonly fs: SourceFs,
    private readonly root: RawPath,
  ) {
    this.loss = fs.loss;
    this.named = new Map(sourcesOf(root).map((source) => [baseName(source), source]));
  }

  private real(path: RawPath): RawPath {
    return realPathOf(this.root, path, this.named);
  }

  readDirectory(path: RawPath): Iterable<RawPath> {
    return path === this.root ? sourcesOf(this.root).map(baseName) : this.fs.readDirectory(this.real(path));
  }

  lstat(path: RawPath, stat: Stat): void {
    this.fs.lstat(this.real(path), stat);
    if (path !== this.root || (stat.mode & S_IFMT) === S_IFDIR) return;
    // A folder for the file: whoever may read it may enter.
    const rights = stat.mode & 0o666;
    stat.mode = S_IFDIR | OWNER | rights | ((rights & 0o444) >> 2);
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
    const roots = new Map<RawPath, number>();
    for (const source of this.named.values()) {
      const folder = this.folderToOpen(source);
      if (!roots.has(folder)) roots.set(folder, this.fs.openRoot(folder));
    }
    const [first = -1] = roots.values();
    this.opened.set(first, roots);
    return first;
  }

  openFile(root: number, _rootPath: RawPath, path: RawPath): number {
    const slash = path.indexOf('/');
    const source = this.named.get(slash < 0 ? path : path.slice(0, slash)) ?? NONE;
    const folder = slash < 0 ? folderOf(source) : source;
    const fd = this.opened.get(root)?.get(folder) ?? root;
    return this.fs.openFile(fd, folder, slash < 0 ? path : path.slice(slash + 1));
  }

  /** A source folder, or that of a file, which all files in it share. */
  private folderToOpen(source: RawPath): RawPath {
    const stat = newStat();
    this.fs.lstat(source, stat);
    return (stat.mode & S_IFMT) === S_IFDIR ? source : folderOf(source);
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
