// The output tree on Linux: folders are held open, and everything happens relative to them.
import { chmodSync } from 'node:fs';
import { systemCode } from '../../platform/failures/errors.js';
import * as c from '../../platform/libc/libc.js';
import type { Libc } from '../../platform/libc/libc.js';
import { FOLDER_FLAGS, openFolderBelow } from '../../platform/libc/open-below.js';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import { type RawPath, CURRENT_FOLDER, rawFromText, TOP, pathBelow, splitPath } from '../../platform/paths/raw-path.js';
import { FolderCache } from './folder-cache.js';
import type { Folder, Metadata, OutputTree, Present } from './output-tree.js';
import { refusal } from './refusal.js';

const O_RDWR = 2;
const FILE_FLAGS = O_RDWR | c.O_CREAT | c.O_EXCL | c.O_NOFOLLOW;
const SET_GROUP_ID = 0o2000;
const MAX_OPEN_FOLDERS = 128;
const TYPE_MASK = 0o170000;

interface OpenFolder extends Folder {
  readonly fd: number;
  pins: number;
}

export class LibcTree implements OutputTree {
  readonly timeDigits = 9;
  private readonly stat = newStat();
  private readonly cache: FolderCache<OpenFolder>;
  private readonly root: OpenFolder;

  /** `rootFd` is not closed here: it belongs to the caller. */
  constructor(
    private readonly libc: Libc,
    rootFd: number,
    private readonly processGroup: number,
  ) {
    this.root = this.hold(rootFd);
    this.cache = new FolderCache(MAX_OPEN_FOLDERS, (folder) => libc.close(folder.fd));
  }

  private hold(fd: number): OpenFolder {
    this.libc.statat(fd, TOP, this.stat);
    const newGroup = (this.stat.mode & SET_GROUP_ID) === 0 ? this.processGroup : this.stat.gid;
    return { fd, newGroup, pins: 0 };
  }

  folder(path: RawPath): OpenFolder {
    if (path === '') return this.root;
    return this.cache.get(path) ?? this.cache.add(path, this.hold(this.openOrMake(path)));
  }

  private openOrMake(path: RawPath): number {
    try {
      return this.open(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw refusal(error);
    }
    const [parentPath, name] = splitPath(path);
    const parent = this.folder(parentPath);
    try {
      this.libc.mkdirat(parent.fd, name, 0o777);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    return this.openIn(parent, name);
  }

  private openIn(parent: OpenFolder, name: RawPath): number {
    try {
      return this.libc.openat(parent.fd, name, FOLDER_FLAGS, 0);
    } catch (error) {
      throw refusal(error);
    }
  }

  private open(path: RawPath): number {
    return openFolderBelow(this.libc, this.root.fd, path);
  }

  pin(folder: Folder): void {
    (folder as OpenFolder).pins++;
  }

  unpin(folder: Folder): void {
    (folder as OpenFolder).pins--;
  }

  present(path: RawPath): Present | undefined {
    const [parentPath, name] = splitPath(path);
    try {
      const parent =
        parentPath === ''
          ? this.root
          : (this.cache.get(parentPath) ?? this.cache.add(parentPath, this.hold(this.open(parentPath))));
      this.libc.statat(parent.fd, name, this.stat);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw refusal(error);
    }
    return presentOf(this.stat);
  }

  makeFolder(path: RawPath, mode: number): boolean {
    const [parentPath, name] = splitPath(path);
    const parent = this.folder(parentPath);
    try {
      this.libc.mkdirat(parent.fd, name, mode);
      return true;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    this.libc.close(this.openIn(parent, name));
    return false;
  }

  createFile(folder: Folder, name: RawPath, mode: number): number {
    return this.libc.openat((folder as OpenFolder).fd, name, FILE_FLAGS, mode);
  }

  write(fd: number, bytes: Uint8Array, position: number): void {
    let at = 0;
    while (at < bytes.byteLength) {
      const rest = at === 0 ? bytes : bytes.subarray(at);
      at += this.libc.pwrite(fd, rest, rest.byteLength, position + at);
    }
  }

  read(fd: number, into: Uint8Array, position: number): number {
    return this.libc.pread(fd, into, into.byteLength, position);
  }

  truncate(fd: number, size: number): void {
    this.libc.ftruncate(fd, size);
  }

  describe(fd: number, { mtime, mode, owner }: Metadata): void {
    if (owner !== undefined) this.libc.fchown(fd, owner.uid, owner.gid);
    if (mode !== undefined) this.libc.fchmod(fd, mode);
    this.libc.futimens(fd, mtime.seconds, mtime.nanos);
  }

  setAttribute(fd: number, name: RawPath, value: Uint8Array): void {
    this.libc.fsetxattr(fd, name, value);
  }

  close(fd: number): void {
    this.libc.close(fd);
  }

  rename(folder: Folder, from: RawPath, to: RawPath): void {
    const { fd } = folder as OpenFolder;
    this.libc.renameat(fd, from, fd, to);
  }

  remove(folder: Folder, name: RawPath): void {
    try {
      this.libc.unlinkat((folder as OpenFolder).fd, name, 0);
    } catch {
      // Best effort by contract: it may never have been made.
    }
  }

  symlink(folder: Folder, name: RawPath, target: RawPath): void {
    this.libc.symlinkat(target, (folder as OpenFolder).fd, name);
  }

  describeLink(folder: Folder, name: RawPath, { mtime, owner }: Metadata): void {
    const { fd } = folder as OpenFolder;
    if (owner !== undefined) this.libc.chownat(fd, name, owner.uid, owner.gid);
    this.libc.utimensat(fd, name, mtime.seconds, mtime.nanos);
  }

  setLinkAttribute(folder: Folder, name: RawPath, attribute: RawPath, value: Uint8Array): void {
    // There is no call relative to a folder; the magic link in /proc leads to the open folder itself.
    const open = rawFromText(`/proc/self/fd/${(folder as OpenFolder).fd}`);
    this.libc.lsetxattr(pathBelow(open, name), attribute, value);
  }

  link(fromFolder: Folder, from: RawPath, folder: Folder, name: RawPath): void {
    this.libc.linkat((fromFolder as OpenFolder).fd, from, (folder as OpenFolder).fd, name);
  }

  openFile(folder: Folder, name: RawPath): number {
    return this.libc.openat((folder as OpenFolder).fd, name, c.O_RDONLY | c.O_NOFOLLOW | c.O_NONBLOCK, 0);
  }

  openFolder(path: RawPath): number {
    if (path === '') return this.libc.openat(this.root.fd, CURRENT_FOLDER, FOLDER_FLAGS, 0);
    try {
      return this.open(path);
    } catch (error) {
      if (systemCode(error) !== 'EACCES') throw refusal(error);
      return this.openClosed(path);
    }
  }

  /** Opens a folder that denies its owner, who is allowed to open it to himself. */
  private openClosed(path: RawPath): number {
    const [parentPath, name] = splitPath(path);
    const fd = this.libc.openat(this.folder(parentPath).fd, name, FOLDER_FLAGS | c.O_PATH, 0);
    try {
      chmodSync(`/proc/self/fd/${fd}`, 0o700); // of the open folder itself: there is no such call by descriptor
    } finally {
      this.libc.close(fd);
    }
    return this.open(path);
  }

  dispose(): void {
    this.cache.clear();
  }
}

function presentOf(stat: Stat): Present {
  const kinds: Readonly<Record<number, Present['kind']>> = {
    0o100000: 'file',
    0o040000: 'directory',
    0o120000: 'symlink',
  };
  return {
    kind: kinds[stat.mode & TYPE_MASK] ?? 'other',
    size: stat.size,
    mtimeSeconds: stat.mtimeSeconds,
    mtimeNanos: stat.mtimeNanos,
    mode: stat.mode & 0o7777,
  };
}
