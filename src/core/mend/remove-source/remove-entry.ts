// Removes one file or link if it is what the version has. Its content is read again first. Then it gets a name that nobody else uses, so
// that no program opens it by its path, and is looked at once more; a lease says that no program has it open for writing, and keeps it so.
// Only then its last step: unlink. Whatever is not as it was read gets its own name back, and stays.
import { createHash } from 'node:crypto';
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { systemCode } from '../../platform/failures/errors.js';
import { reasonText } from '../../platform/failures/errno.js';
import { type Libc, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } from '../../platform/libc/libc.js';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import { displayPath, type RawPath, TOP, withEnd } from '../../platform/paths/raw-path.js';
import { type Ctime, isAsStored, type StoredEntries } from './stored-entries.js';
import type { Place } from './source-tree.js';

const TYPE_MASK = 0o170000;
const TYPES: Readonly<Record<string, number>> = { file: 0o100000, hardlink: 0o100000, symlink: 0o120000 };
const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
const PIECE_BYTES = 1 << 20;
const MAX_NAME = 255;
/** Two names of one number. */
const IS_WRITTEN: ReadonlySet<string> = new Set(['EAGAIN', 'EWOULDBLOCK']);
const CHANGED = 'changed since it was read';

interface Kept {
  readonly outcome: 'kept';
  readonly reason: string;
  /** Its name, if it could not get its own one back. */
  readonly name?: RawPath;
}

const readFile = promisify(read);

export type Removal = { readonly outcome: 'removed' | 'gone' } | Kept;

const kept = (reason: string): Kept => ({ outcome: 'kept', reason });

export class EntryRemover {
  /** True once it could not be told whether a file is open for writing: the file system has no leases, or the file has another owner. */
  lacksLeases = false;
  /** Renaming a file or removing one of its names changes its time of change: that of further names, by inode. */
  private readonly changedByUs = new Map<number, Ctime>();
  private readonly stat: Stat = newStat();
  private readonly piece = Buffer.allocUnsafeSlow(PIECE_BYTES);

  constructor(
    private readonly libc: Libc,
    private readonly entries: StoredEntries,
    /** Begins the names that files have for the moment before they are removed. */
    private readonly asidePrefix: RawPath,
    private readonly signal: AbortSignal,
  ) {}

  /** Removes a file or link, or says why it stays. @throws cancelled; never between its two names */
  async remove(index: number, place: Place): Promise<Removal> {
    const { table, torn } = this.entries;
    const type = table.type(index);
    if (!this.isThere(place.folder, place.name)) return { outcome: 'gone' };
    if ((this.stat.mode & TYPE_MASK) !== TYPES[type]) return kept('something of another kind is in its place');
    if (!this.isAsRead(index)) return kept(CHANGED);
    if (type === 'symlink') return this.removeLink(index, place);
    if (torn.has(index)) return kept('it changed while it was read, so what is stored may be torn');
    const md5 = table.md5(index);
    if (md5 === undefined) return kept('no MD5 of it is stored, so nothing proves its content');
    return await this.removeFile(index, place, md5);
  }

  private isAsRead(index: number): boolean {
    const { ctimes, inodes } = this.entries;
    const ctime = this.changedByUs.get(inodes[index] ?? -1) ?? ctimes[index];
    return ctime !== undefined && isAsStored(this.entries, index, this.stat, ctime);
  }

  private async removeFile(index: number, place: Place, md5: string): Promise<Removal> {
    const fd = this.libc.openat(place.folder, place.name, READ_FLAGS, 0);
    try {
      const found = await this.md5Of(fd);
      this.libc.statat(fd, TOP, this.stat);
      if (!this.isAsRead(index)) return kept(CHANGED);
      if (found !== md5) return kept('its content is another than the stored one');
      const removal = this.throughAside(place, (aside) => this.fileProblem(index, fd, { ...place, name: aside }));
      // Its further names are looked at with the time of change that this has left.
      this.libc.statat(fd, TOP, this.stat);
      if (this.stat.nlink > 0 && isAsStored(this.entries, index, this.stat))
        this.changedByUs.set(Number(this.stat.inode), [this.stat.ctimeSeconds, this.stat.ctimeNanos]);
      return removal;
    } finally {
      this.libc.close(fd);
    }
  }

  private async md5Of(fd: number): Promise<string> {
    const hash = createHash('md5');
    for (let position = 0; ;) {
      this.signal.throwIfAborted();
      const { bytesRead } = await readFile(fd, this.piece, 0, PIECE_BYTES, position);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(this.piece.subarray(0, bytesRead));
      position += bytesRead;
    }
  }

  private removeLink(index: number, place: Place): Removal {
    const target = this.entries.extras.get(index)?.target;
    const problemAt = (name: RawPath): string | undefined => {
      this.libc.statat(place.folder, name, this.stat);
      const isSame = isAsStored(this.entries, index, this.stat) && (this.stat.mode & TYPE_MASK) === TYPES['symlink'];
      return isSame && this.libc.readlinkat(place.folder, name) === target ? undefined : CHANGED;
    };
    const problem = problemAt(place.name);
    return problem === undefined ? this.throughAside(place, problemAt) : kept(problem);
  }

  /** What is wrong with an open file under its other name. */
  private fileProblem(index: number, fd: number, { folder, name }: Place): string | undefined {
    this.libc.statat(folder, name, this.stat);
    const { inode, device } = this.stat;
    try {
      this.libc.leaseReading(fd);
    } catch (error) {
      if (IS_WRITTEN.has(systemCode(error) ?? '')) return 'a program has it open for writing';
      this.lacksLeases = true;
    }
    this.libc.statat(fd, TOP, this.stat);
    const isIt = this.stat.inode === inode && this.stat.device === device;
    return isIt && isAsStored(this.entries, index, this.stat) ? undefined : CHANGED;
  }

  /** Nothing here waits for anything: only the end of the process could come in between. */
  private throughAside({ folder, name }: Place, problemAt: (aside: RawPath) => string | undefined): Removal {
    const aside = withEnd(this.asidePrefix, name).slice(0, MAX_NAME);
    // One of two long names that differ at their end may have it, if it could not get its own one back.
    if (this.isThere(folder, aside))
      return kept(`${displayPath(aside)}, which it would be called for a moment, is there`);
    this.libc.renameat(folder, name, folder, aside);
    let problem: string | undefined;
    try {
      problem = problemAt(aside);
      if (problem === undefined) this.libc.unlinkat(folder, aside, 0);
    } catch (error) {
      problem = reasonText(error);
    }
    return problem === undefined ? { outcome: 'removed' } : this.putBack(folder, name, aside, problem);
  }

  private isThere(folder: number, name: RawPath): boolean {
    try {
      this.libc.statat(folder, name, this.stat);
      return true;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Gives it its name back, unless something else has that by now. */
  private putBack(folder: number, name: RawPath, aside: RawPath, reason: string): Removal {
    try {
      this.libc.linkat(folder, aside, folder, name);
    } catch (error) {
      const why = systemCode(error) === 'EEXIST' ? 'something else has its name' : reasonText(error);
      return { ...kept(`${reason}; it is called ${displayPath(aside)} now: ${why}`), name: aside };
    }
    try {
      this.libc.unlinkat(folder, aside, 0);
    } catch (error) {
      return { ...kept(`${reason}; it is also called ${displayPath(aside)} now: ${reasonText(error)}`), name: aside };
    }
    return kept(reason);
  }
}
