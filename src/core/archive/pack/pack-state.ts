// The state of packing a chunk, and the steps that every kind of entry shares. One per worker thread; `begin` resets what belongs to one
// chunk. What is found out about an entry goes into the shared columns.
import { readSync } from 'node:fs';
import type { Codec } from '../../platform/codec/codec-type.js';
import { cancelledError } from '../../platform/failures/errors.js';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import type { EntryExtra, LineSources } from '../../format/manifest/entry-line.js';
import type { Provenance } from '../../format/manifest/provenance.js';
import { attributeRecords } from '../../format/tar/pax-records.js';
import { type RawPath, TOP, pathBelow } from '../../platform/paths/raw-path.js';
import { isAsScanned } from '../scan/as-scanned.js';
import { MACHINE_XATTR } from '../scan/current-xattrs.js';
import { type EntryTable, STATUS, XXH64_BYTES } from '../../format/columns/entry-table.js';
import type { DeskUse } from './frame-desk.js';
import { type FrameMark, FrameWriter } from './frame-writer.js';
import { loadMd5Lanes } from '../../platform/md5/md5-lanes.js';
import type { Md5Room } from '../../platform/md5/md5-rooms.js';
import { ContentDigests, type DigestSettings } from './content-digests.js';
import { Md5Batch } from './md5-batch.js';
import { seededHash } from '../../format/chunk/seeded-hash.js';
import { S_IFMT, S_IFREG } from '../scan/left-by-kind.js';
import { CHANGED, NO_FILE, NotArchivable, type Skip } from '../scan/skip.js';
import type { SourceFs } from '../scan/source-fs.js';
import { headerBytes, paxFor, type NewMember, type TarType, writeHeader } from '../../format/tar/write-header.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const READ_BYTES = 1 << 20;
const ZEROS = Buffer.alloc(1 << 20);

export interface PackSettings extends DigestSettings {
  readonly uploadId: UploadId;
  readonly root: RawPath;
  /** Most tar bytes in a frame; 0 for one frame per chunk. */
  readonly frameBytes: number;
  /** zstd level; undefined to choose it by content. */
  readonly level: number | undefined;
  /** Most data in a chunk: a file that grew beyond it since the scan is cut off there. */
  readonly chunkBytes: number;
  readonly provenance?: Provenance | undefined;
}

/** Counters in shared memory, one set a worker, read by the main thread: files, bytes, position of the current entry. */
export const PROGRESS = { files: 0, bytes: 1, current: 2, isStopping: 3 } as const;

export interface PackDeps {
  readonly fs: SourceFs;
  /** Replaced when there are more rows. */
  table: EntryTable;
  readonly codec: Codec;
  readonly names: LineSources;
  settings: PackSettings;
  readonly progress: Float64Array;
  /** Memory for the frame that other threads see, too, and where full ones are laid down; undefined for memory of its own. */
  readonly room?: Md5Room | undefined;
  readonly desk?: Omit<DeskUse, 'throwIfStopping'> | undefined;
}

/** A position in a chunk, for `rewind`. */
export interface PackMark {
  readonly frames: FrameMark;
  readonly bytes: number;
}

export class PackState {
  readonly frames: FrameWriter;
  readonly md5s: Md5Batch;
  readonly stat: Stat = newStat();
  readonly rootFd: number;
  extras = new Map<number, EntryExtra>();
  skipped: Skip[] = [];
  bytes = 0;

  constructor(readonly deps: PackDeps) {
    const { codec, settings, fs, table, room, desk } = deps;
    const { frameBytes, level } = settings;
    this.md5s = new Md5Batch(table.md5, room === undefined ? loadMd5Lanes() : room.lanes);
    this.frames = new FrameWriter({
      codec,
      frameBytes,
      level,
      md5s: this.md5s,
      chain: room?.chain,
      desk: desk && room && { ...desk, throwIfStopping: () => this.throwIfStopping() },
    });
    this.rootFd = fs.openRoot(settings.root);
  }

  begin(output: Buffer): void {
    this.frames.begin(output);
    this.extras = new Map();
    this.skipped = [];
    this.bytes = 0;
  }

  mark(): PackMark {
    return { frames: this.frames.mark(), bytes: this.bytes };
  }

  /** Undoes what was packed since `mark`. */
  rewind(mark: PackMark): void {
    this.frames.rewind(mark.frames);
    this.countBytes(mark.bytes - this.bytes);
  }

  open(index: number): number {
    const { fs, table, settings } = this.deps;
    return fs.openFile(this.rootFd, settings.root, table.path(index));
  }

  skip(index: number, reason: string): void {
    this.deps.table.columns.status[index] = STATUS.skipped;
    this.extras.delete(index);
    this.skipped.push({ path: this.deps.table.path(index), reason, special: false });
  }

  /** Records whether the file held still while it was read, and reports it if it did not. */
  settle(index: number, held: boolean): void {
    this.deps.table.columns.status[index] = held ? STATUS.stored : STATUS.changed;
    if (held) return;
    const path = this.deps.table.path(index);
    this.skipped.push({ path, reason: CHANGED, special: false });
  }

  countFiles(files: number): void {
    const { progress } = this.deps;
    progress[PROGRESS.files] = (progress[PROGRESS.files] ?? 0) + files;
  }

  countBytes(bytes: number): void {
    const { progress } = this.deps;
    this.bytes += bytes;
    progress[PROGRESS.bytes] = (progress[PROGRESS.bytes] ?? 0) + bytes;
    this.throwIfStopping();
  }

  /** Stops in the middle of a chunk when the upload is stopped. */
  throwIfStopping(): void {
    if (this.deps.progress[PROGRESS.isStopping] === 1) throw cancelledError('stopped while it was packed');
  }

  member(index: number, type: TarType, size: number, pax?: ReadonlyMap<string, RawPath>): NewMember {
    const { table, names } = this.deps;
    const c = table.columns;
    const uid = c.uid[index] ?? 0;
    const gid = c.gid[index] ?? 0;
    const path = table.path(index);
    return {
      path: type === '5' ? pathBelow(path, TOP) : path,
      type,
      size,
      mode: c.mode[index] ?? 0,
      uid,
      gid,
      user: names.user(uid) ?? TOP,
      group: names.group(gid) ?? TOP,
      mtimeSeconds: c.mtimeSeconds[index] ?? 0,
      mtimeNanos: c.mtimeNanos[index] ?? 0,
      ...(pax === undefined || pax.size === 0 ? {} : { pax }),
    };
  }

  /** Writes the header of a member whose data follow. */
  header(member: NewMember): void {
    const pax = paxFor(member);
    const bytes = headerBytes(pax);
    if (this.frames.reserve(bytes)) {
      writeHeader(this.frames.buffer, this.frames.length, member, pax);
      this.frames.commit(bytes);
      return;
    }
    const block = Buffer.alloc(bytes); // more attributes than a frame holds
    writeHeader(block, 0, member, pax);
    this.frames.write(block);
  }

  /** Remembers attributes for the manifest and returns them as pax records. */
  keepXattrs(index: number, xattrs: Map<RawPath, Buffer> | undefined): Map<string, RawPath> | undefined {
    this.extras.delete(index);
    xattrs?.delete(MACHINE_XATTR);
    if (xattrs === undefined || xattrs.size === 0) return undefined;
    this.extras.set(index, { xattrs });
    return attributeRecords(xattrs);
  }

  /** Makes the seeded XXH64 of a whole content, if one is recorded. */
  keepSeeded(index: number, content: Uint8Array): void {
    const { table, settings } = this.deps;
    if (settings.seed !== undefined) seededHash()?.write(content, settings.seed, table.xxh64, index * XXH64_BYTES);
  }

  /** Whether `stat` differs from what the columns say. */
  differs(index: number): boolean {
    return !isAsScanned(this.deps.table.columns, index, this.stat);
  }

  /** Reads the status of an open file. @throws NotArchivable when something else took its place */
  examine(fd: number): void {
    this.deps.fs.fstat(fd, this.stat);
    if ((this.stat.mode & S_IFMT) !== S_IFREG) throw new NotArchivable(NO_FILE);
  }

  /** Reads the status of an open file into the columns; its size is capped at what one chunk may have. */
  refresh(index: number, fd: number): void {
    const { stat } = this;
    this.examine(fd);
    const c = this.deps.table.columns;
    c.size[index] = Math.min(stat.size, Math.max(c.size[index] ?? 0, this.deps.settings.chunkBytes));
    c.allocated[index] = stat.blocks * 512;
    c.mode[index] = stat.mode & 0o7777;
    c.uid[index] = stat.uid;
    c.gid[index] = stat.gid;
    c.mtimeSeconds[index] = stat.mtimeSeconds;
    c.mtimeNanos[index] = stat.mtimeNanos;
    c.ctimeSeconds[index] = stat.ctimeSeconds;
    c.ctimeNanos[index] = stat.ctimeNanos;
    c.inode[index] = stat.inode;
  }

  /** @throws NotArchivable when a file planned as mostly holes now has more data than a chunk is meant to hold */
  checkGrowth(bytes: number, plannedBytes: number): void {
    if (bytes > Math.max(plannedBytes, this.deps.settings.chunkBytes)) {
      throw new NotArchivable('grew too much while it was being read');
    }
  }

  newDigests(): ContentDigests {
    return new ContentDigests(this.deps.settings);
  }

  /** Checksums of a file of which every byte comes into the frames. */
  newFrameDigests(): ContentDigests {
    return new ContentDigests(this.deps.settings, this.deps.room?.chain);
  }

  /** Writes zeros as content: for what a file lost after its header was written. */
  zeroData(count: number, digests: ContentDigests): void {
    const { frames } = this;
    for (let left = count; left > 0;) {
      this.throwIfStopping();
      const take = Math.min(left, frames.room, READ_BYTES);
      frames.ensure(take);
      digests.update(frames.buffer.subarray(frames.length, frames.length + take).fill(0));
      frames.commit(take);
      left -= take;
    }
  }

  hashZeros(count: number, digests: ContentDigests): void {
    if (!digests.isNeeded) return;
    for (let left = count; left > 0; left -= ZEROS.length) {
      this.throwIfStopping();
      digests.update(left < ZEROS.length ? ZEROS.subarray(0, left) : ZEROS);
    }
  }

  /** Copies content that is in memory into the frames. */
  copyBytes(bytes: Buffer, digests: ContentDigests): void {
    const { frames } = this;
    for (let at = 0; at < bytes.length;) {
      const take = Math.min(bytes.length - at, frames.room, READ_BYTES);
      frames.ensure(take);
      bytes.copy(frames.buffer, frames.length, at, at + take);
      digests.update(frames.buffer.subarray(frames.length, frames.length + take));
      frames.commit(take);
      this.countBytes(take);
      at += take;
    }
  }

  /** Copies up to `size` bytes from `position` on into the frames; returns how many there were. */
  copyData(fd: number, position: number, size: number, digests: ContentDigests): number {
    const { frames } = this;
    let done = 0;
    while (done < size) {
      const take = Math.min(size - done, frames.room, READ_BYTES);
      frames.ensure(take);
      const got = readSync(fd, frames.buffer, frames.length, take, position + done);
      if (got === 0) break;
      digests.update(frames.buffer.subarray(frames.length, frames.length + got));
      frames.commit(got);
      this.countBytes(got);
      done += got;
    }
    return done;
  }
}
