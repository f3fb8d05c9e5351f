// Turns what a scan has seen of one path into a row of the table: its stat, hard links to a file that was seen before, and holes.
import type { Stat } from '../../platform/libc/stat.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type EntryTableBuilder, KIND } from '../../format/columns/entry-table.js';
import { inodeKey } from './dvc-folders.js';
import { S_IFDIR, S_IFLNK, S_IFREG } from './left-by-kind.js';
import type { SourceFs } from './source-fs.js';

/** Files of at least this many bytes are searched for holes when they have fewer blocks than bytes. */
const ASK_FOR_HOLES = 1 << 20;

interface Source {
  readonly fs: SourceFs;
  readonly root: RawPath;
  /** Given where only a part of the source is listed. */
  readonly window?: object | undefined;
}

/** A row of a file with several names. */
export interface LinkedRow {
  readonly row: number;
  /** The same for all names of a file. */
  readonly inode: string;
}

export class ScannedRows {
  /** Total bytes of all files; each hard link counts. */
  bytes = 0;
  /** Rows of files with several names; undefined unless only a part of the source is listed. */
  readonly linked: LinkedRow[] | undefined;
  private readonly firstOfInode = new Map<string, number>();
  private groups = 0;
  private rootFd: number | undefined;

  constructor(
    private readonly table: EntryTableBuilder,
    /** Stat of the path that is added. */
    private readonly stat: Stat,
    private readonly source: Source,
  ) {
    this.linked = source.window && [];
  }

  close(): void {
    if (this.rootFd !== undefined) this.source.fs.close(this.rootFd);
  }

  /** Adds a row for a path and returns it; `type` as in the mode. */
  add(path: RawPath, type: number): number {
    const { stat } = this;
    const index = this.table.add(path);
    const c = this.table.columns;
    c.kind[index] = type === S_IFDIR ? KIND.directory : type === S_IFLNK ? KIND.symlink : KIND.file;
    c.mode[index] = stat.mode & 0o7777;
    c.uid[index] = stat.uid;
    c.gid[index] = stat.gid;
    c.size[index] = type === S_IFREG ? stat.size : 0;
    c.mtimeSeconds[index] = stat.mtimeSeconds;
    c.mtimeNanos[index] = stat.mtimeNanos;
    c.ctimeSeconds[index] = stat.ctimeSeconds;
    c.ctimeNanos[index] = stat.ctimeNanos;
    c.atimeSeconds[index] = stat.atimeSeconds;
    c.inode[index] = stat.inode;
    if (type === S_IFREG) this.addFile(index, path);
    return index;
  }

  /** Records where a symlink leads. */
  addTarget(index: number, target: RawPath): void {
    this.table.columns.link[index] = this.table.targets.push(target) - 1;
  }

  /** True if a file with several names was added. */
  has(inode: string): boolean {
    return this.firstOfInode.has(inode);
  }

  private addFile(index: number, path: RawPath): void {
    const { stat } = this;
    const c = this.table.columns;
    c.allocated[index] = stat.blocks * 512;
    if (stat.size >= ASK_FOR_HOLES && stat.blocks * 512 < stat.size) c.allocated[index] = this.dataBytes(path);
    this.bytes += stat.size;
    if (stat.nlink < 2) return;
    const key = inodeKey(stat);
    this.linked?.push({ row: index, inode: key });
    const first = this.firstOfInode.get(key);
    if (first === undefined) {
      this.firstOfInode.set(key, index);
      return;
    }
    if (c.group[first] === 0) c.group[first] = ++this.groups;
    c.group[index] = c.group[first] ?? 0;
    c.kind[index] = KIND.hardlink;
    c.link[index] = first;
  }

  // Few blocks mean holes, or a file system that compresses or has not written yet: only the first makes a large file
  // small enough for one chunk.
  private dataBytes(path: RawPath): number {
    const { fs, root } = this.source;
    const { size, blocks } = this.stat;
    try {
      this.rootFd ??= fs.openRoot(root);
      const fd = fs.openFile(this.rootFd, root, path);
      try {
        return (fs.extents(fd, size) ?? [[0, size]]).reduce((sum, [, length]) => sum + length, 0);
      } finally {
        fs.close(fd);
      }
    } catch {
      return blocks * 512; // not readable: reported when its content is wanted
    }
  }
}
