// Writes the members of an archive below the temporary folder, through the same tree that restores use: never through a link. The folder is
// private, so setuid and setgid bits are set like all others; `disarm` removes them from files that stay.
import { systemCode } from '../../platform/failures/errors.js';
import type { Folder, Metadata, OutputTree } from '../../restore/output-tree/output-tree.js';
import { setAttributes } from '../../restore/write/set-attributes.js';
import { type RawPath, rawFromText, splitPath } from '../../platform/paths/raw-path.js';
import type { Row } from './archive-contents.js';
import type { Losses } from './losses.js';
import type { TempSpace } from './temp-space.js';
import type { TarMember } from '../../format/tar/tar-member.js';

const OWNER_ACCESS = 0o700;
const READ_FILE = 0o400;
const READ_FOLDER = 0o500;
const SPECIAL_BITS = 0o6000;
const NO_OWNER = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EOVERFLOW']);

export interface Account {
  readonly isRoot: boolean;
  readonly uid: number;
  readonly gid: number;
}

export interface OpenFile {
  readonly fd: number;
  readonly folder: Folder;
  readonly name: RawPath;
}

export class DiskWriter {
  constructor(
    private readonly tree: OutputTree,
    private readonly account: Account,
    private readonly space: TempSpace,
    private readonly losses: Losses,
  ) {}

  /** Returns `mode`, widened for a normal user who otherwise could not read the file back. */
  private readableMode(mode: number, needed: number): number {
    if (this.account.isRoot || (mode & needed) === needed) return mode;
    this.losses.modes++;
    return mode | needed;
  }

  /**
   * Calls `set` with the owner to set, and again without one where the system refuses: a normal user may not set one, nor may root in a
   * container, on a network file system or on one without owners. `row` then gets the actual owner.
   */
  private withOwner(row: Row, newGroup: number, set: (owner: Metadata['owner']) => void): void {
    const { isRoot, uid, gid } = this.account;
    if (isRoot) {
      try {
        set({ uid: row.uid, gid: row.gid });
        return;
      } catch (error) {
        if (!NO_OWNER.has(systemCode(error) ?? '')) throw error;
      }
    }
    if (row.uid !== uid || row.gid !== gid) this.losses.owners++;
    row.uid = uid;
    row.gid = newGroup;
    set(undefined);
  }

  makeFolder(path: RawPath): void {
    this.space.used(0, 1);
    this.tree.makeFolder(path, OWNER_ACCESS);
  }

  /** Removes the file that an earlier member put here; links are not on disk yet. */
  clear(path: RawPath, before: Row | undefined): void {
    if (before?.kind !== 'file') return;
    const [folder, name] = splitPath(path);
    this.tree.remove(this.tree.folder(folder), name);
  }

  /** Creates a file that must not exist yet. */
  create(path: RawPath, member: Pick<TarMember, 'runs' | 'size'>): OpenFile {
    this.space.used(0, 1);
    const [folderPath, name] = splitPath(path);
    const folder = this.tree.folder(folderPath);
    const fd = this.tree.createFile(folder, name, 0o600);
    this.tree.pin(folder);
    const file = { fd, folder, name };
    try {
      if (member.runs !== undefined) this.tree.truncate(fd, member.size);
    } catch (error) {
      this.abandon(file);
      throw error;
    }
    return file;
  }

  write({ fd }: OpenFile, bytes: Uint8Array, position: number): void {
    this.space.used(bytes.byteLength, 0);
    this.tree.write(fd, bytes, position);
  }

  /** Sets the metadata of a completely written file. */
  finish(file: OpenFile, row: Row, xattrs: TarMember['xattrs']): void {
    row.mode = this.readableMode(row.mode, READ_FILE);
    try {
      this.describe(file.fd, row, file.folder.newGroup, xattrs);
    } catch (error) {
      this.abandon(file);
      throw error;
    }
    this.tree.close(file.fd);
    this.tree.unpin(file.folder);
  }

  abandon({ fd, folder, name }: OpenFile): void {
    this.tree.close(fd);
    this.tree.unpin(folder);
    this.tree.remove(folder, name);
  }

  private describe(fd: number, row: Row, newGroup: number, xattrs: TarMember['xattrs']): void {
    const describe = (): void =>
      this.withOwner(row, newGroup, (owner) => this.tree.describe(fd, { mtime: row, mode: row.mode, owner }));
    // Changing the owner removes capabilities, so root sets attributes last; a read-only mode keeps a normal user from setting any, so
    // there they come first.
    if (this.account.isRoot) describe();
    const before = row.mode;
    row.mode = setAttributes((name, value) => this.tree.setAttribute(fd, name, value), xattrs, this.lost)(before);
    if (!this.account.isRoot) describe();
    else if (row.mode !== before) this.tree.describe(fd, { mtime: row, mode: row.mode, owner: undefined });
  }

  /** Counts an attribute that cannot be set; they are reported once, with their number. */
  private readonly lost = (): void => void this.losses.attributes++;

  link(target: RawPath, path: RawPath): void {
    this.space.used(0, 1);
    const [folderPath, name] = splitPath(path);
    const folder = this.tree.folder(folderPath);
    this.tree.pin(folder);
    try {
      const [targetFolder, targetName] = splitPath(target);
      this.tree.link(this.tree.folder(targetFolder), targetName, folder, name);
    } finally {
      this.tree.unpin(folder);
    }
  }

  symlink(path: RawPath, row: Row, xattrs: TarMember['xattrs']): void {
    this.space.used(0, 1);
    const [folderPath, name] = splitPath(path);
    const folder = this.tree.folder(folderPath);
    this.tree.symlink(folder, name, row.target);
    setAttributes((attribute, value) => this.tree.setLinkAttribute(folder, name, attribute, value), xattrs, this.lost);
    this.withOwner(row, folder.newGroup, (owner) =>
      this.tree.describeLink(folder, name, { mtime: row, mode: undefined, owner }),
    );
  }

  /** Sets a folder's metadata, after everything in it has been made. */
  finishFolder(path: RawPath, row: Row, xattrs: TarMember['xattrs']): void {
    row.mode = this.readableMode(row.mode, READ_FOLDER);
    const { newGroup } = this.tree.folder(splitPath(path)[0]);
    const fd = this.tree.openFolder(path);
    try {
      this.describe(fd, row, newGroup, xattrs);
    } finally {
      this.tree.close(fd);
    }
  }

  exists(path: RawPath): boolean {
    return this.tree.present(path) !== undefined;
  }

  /** Removes setuid, setgid and capabilities (which a change of owner takes away) from a file that stays on this disk. */
  disarm(path: RawPath, row: Row): void {
    const [folder, name] = splitPath(path);
    const fd = this.tree.openFile(this.tree.folder(folder), name);
    try {
      const owner = this.account.isRoot ? { uid: row.uid, gid: row.gid } : undefined;
      this.tree.describe(fd, { mtime: row, mode: row.mode & ~SPECIAL_BITS, owner });
    } finally {
      this.tree.close(fd);
    }
  }
}

const CAPABILITY = rawFromText('security.capability');

/** True for a file that runs as another user, or with capabilities of its own. */
export const isArmed = ({ mode }: Pick<Row, 'mode'>, xattrs: TarMember['xattrs']): boolean =>
  (mode & SPECIAL_BITS) !== 0 || xattrs?.has(CAPABILITY) === true;
