// The output tree without libc: every parent is looked at, part by part and without following links, before it is used. A process that
// swaps a folder for a link between that check and the write is not caught; libc-tree.ts has no such gap.
import fs from 'node:fs';
import { systemCode } from '../../platform/failures/errors.js';
import { fsPath, rawFromText, type RawPath, pathBelow, splitPath } from '../../platform/paths/raw-path.js';
import { FolderCache } from './folder-cache.js';
import type { Folder, Metadata, OutputTree, Present } from './output-tree.js';
import { refusal } from './refusal.js';

interface CheckedFolder extends Folder {
  /** Absolute path. */
  readonly path: RawPath;
  pins: number;
}

const MAX_FOLDERS = 4096;
const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;
// Windows has neither, and the constants are undefined there.
const NO_FOLLOW = fs.constants.O_NOFOLLOW ?? 0;
const NON_BLOCKING = fs.constants.O_NONBLOCK ?? 0;

class NotAFolder extends Error {
  readonly code: string;
  constructor(code: 'ELOOP' | 'ENOTDIR') {
    super(code);
    this.code = code;
  }
}

export class NodeTree implements OutputTree {
  readonly timeDigits = 6;
  private readonly root: CheckedFolder;
  private readonly cache = new FolderCache<CheckedFolder>(MAX_FOLDERS, () => undefined);

  /** `rootPath` is absolute and resolved. */
  constructor(rootPath: string, processGroup: number) {
    this.root = { path: rawFromText(rootPath), newGroup: processGroup, pins: 0 };
  }

  private at(folder: Folder, name: RawPath): string | Buffer {
    return fsPath(pathBelow((folder as CheckedFolder).path, name));
  }

  private look(path: RawPath): void {
    const stats = fs.lstatSync(fsPath(path));
    if (stats.isSymbolicLink()) throw new NotAFolder('ELOOP');
    if (!stats.isDirectory()) throw new NotAFolder('ENOTDIR');
  }

  private reach(path: RawPath, isMade: boolean): CheckedFolder {
    if (path === '') return this.root;
    const known = this.cache.get(path);
    if (known !== undefined) return known;
    const [parentPath, name] = splitPath(path);
    const parent = this.reach(parentPath, isMade);
    const absolute = pathBelow(parent.path, name);
    try {
      this.look(absolute);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw refusal(error);
      if (!isMade) throw error;
      fs.mkdirSync(fsPath(absolute));
    }
    return this.cache.add(path, { path: absolute, newGroup: parent.newGroup, pins: 0 });
  }

  folder(path: RawPath): CheckedFolder {
    return this.reach(path, true);
  }

  pin(): void {
    // Nothing is held open.
  }

  unpin(): void {
    // Nothing is held open.
  }

  present(path: RawPath): Present | undefined {
    const [parentPath, name] = splitPath(path);
    try {
      return presentOf(fs.lstatSync(this.at(this.reach(parentPath, false), name), { bigint: true }));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw refusal(error);
    }
  }

  makeFolder(path: RawPath, mode: number): boolean {
    const [parentPath, name] = splitPath(path);
    const parent = this.reach(parentPath, true);
    try {
      fs.mkdirSync(this.at(parent, name), { mode });
      return true;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    this.reach(path, false);
    return false;
  }

  createFile(folder: Folder, name: RawPath, mode: number): number {
    return fs.openSync(this.at(folder, name), O_RDWR | O_CREAT | O_EXCL | NO_FOLLOW, mode);
  }

  write(fd: number, bytes: Uint8Array, position: number): void {
    for (let at = 0; at < bytes.byteLength;) at += fs.writeSync(fd, bytes, at, bytes.byteLength - at, position + at);
  }

  read(fd: number, into: Uint8Array, position: number): number {
    return fs.readSync(fd, into, 0, into.byteLength, position);
  }

  truncate(fd: number, size: number): void {
    fs.ftruncateSync(fd, size);
  }

  describe(fd: number, { mtime, mode, owner }: Metadata): void {
    if (owner !== undefined) fs.fchownSync(fd, owner.uid, owner.gid);
    if (mode !== undefined) fs.fchmodSync(fd, mode);
    const seconds = toSeconds(mtime);
    fs.futimesSync(fd, seconds, seconds);
  }

  setAttribute(): void {
    throw new Error('extended attributes need libc, which is not available here');
  }

  close(fd: number): void {
    fs.closeSync(fd);
  }

  rename(folder: Folder, from: RawPath, to: RawPath): void {
    fs.renameSync(this.at(folder, from), this.at(folder, to));
  }

  remove(folder: Folder, name: RawPath): void {
    try {
      fs.unlinkSync(this.at(folder, name));
    } catch {
      // Best effort by contract: it may never have been made.
    }
  }

  symlink(folder: Folder, name: RawPath, target: RawPath): void {
    fs.symlinkSync(fsPath(target), this.at(folder, name));
  }

  describeLink(folder: Folder, name: RawPath, { mtime, owner }: Metadata): void {
    const path = this.at(folder, name);
    if (owner !== undefined) fs.lchownSync(path, owner.uid, owner.gid);
    const seconds = toSeconds(mtime);
    fs.lutimesSync(path, seconds, seconds);
  }

  setLinkAttribute(): void {
    this.setAttribute();
  }

  link(fromFolder: Folder, from: RawPath, folder: Folder, name: RawPath): void {
    fs.linkSync(this.at(fromFolder, from), this.at(folder, name));
  }

  openFile(folder: Folder, name: RawPath): number {
    return fs.openSync(this.at(folder, name), O_RDONLY | NO_FOLLOW | NON_BLOCKING);
  }

  openFolder(path: RawPath): number {
    return fs.openSync(fsPath(this.reach(path, false).path), O_RDONLY | NO_FOLLOW);
  }

  dispose(): void {
    this.cache.clear();
  }
}

// A number of seconds is exact to a quarter of a microsecond (after 2038 to half of one), and Node 20 cuts it to whole ones. So it lies in the
// middle of the microsecond: at its beginning, half of all times would be cut to the one before.
const toSeconds = ({ seconds, nanos }: Metadata['mtime']): number => seconds + (Math.floor(nanos / 1000) + 0.5) / 1e6;

function presentOf(stats: fs.BigIntStats): Present {
  const nanos = ((stats.mtimeNs % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'directory'
      : stats.isSymbolicLink()
        ? 'symlink'
        : 'other';
  return {
    kind,
    size: Number(stats.size),
    mtimeSeconds: Number((stats.mtimeNs - nanos) / 1_000_000_000n),
    mtimeNanos: Number(nanos),
    mode: Number(stats.mode & 0o7777n),
  };
}
