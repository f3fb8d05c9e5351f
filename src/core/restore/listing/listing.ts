// All entries of an upload or version in columns, in path order, for the browser and the shell. A million entries take some
// 150 MB. Folders are found by binary search; there is no object per file.
import type { Entry, EntryType, ManifestHead, Timestamp } from '../../format/manifest/manifest-types.js';
import { type RawPath, bytesOf, rawFromText, TOP, pathBelow, withEnd } from '../../platform/paths/raw-path.js';
import type { Extra, SelectedTable } from '../plan/selected-table.js';
import { outside, type PathRange, rangeBelow } from '../../format/manifest/path-range.js';
import { isColdClass } from '../../store/cold-class.js';

/** Entries `start` to `end` (exclusive). */
export interface EntryRange {
  readonly start: number;
  readonly end: number;
}

/** A direct child of a folder. */
export interface Child {
  readonly name: RawPath;
  /** Undefined for a folder that has no entry of its own. */
  readonly index: number | undefined;
  readonly isFolder: boolean;
}

export interface Sum {
  /** Everything but folders. */
  readonly files: number;
  readonly bytes: number;
}

export interface RefusedEntry {
  readonly path: RawPath;
  readonly reason: string;
}

export interface ListingData {
  readonly head: ManifestHead;
  readonly table: SelectedTable;
  readonly extras: ReadonlyMap<number, Extra>;
  /** Paths one after another; `table.columns.pathEnd` says where each ends. */
  readonly paths: Buffer;
  readonly stages: Interned;
  readonly commits: Interned;
  readonly refused: readonly RefusedEntry[];
  /** Undefined for a listing of everything. */
  readonly part?: ListedPart | undefined;
}

/** What a listing has of an upload that is being read. */
export interface ListedPart {
  /** Where everything is listed, in order; none of the ranges touch. */
  readonly read: readonly PathRange[];
  /** Sums of folders as far as they are known by now. */
  readonly sums: { readonly of: (folder: RawPath) => Sum | undefined };
}

/** A column of few different texts. */
export interface Interned {
  /** In order of first appearance. */
  readonly values: readonly string[];
  /** For each entry, the position in `values` plus one; 0 for none. */
  readonly column: Uint32Array;
}

/** The character after '/' in byte order. */
const AFTER_SLASH = rawFromText('0');

export class Listing {
  readonly count: number;
  readonly head: ManifestHead;
  readonly paths: Buffer;
  /** Entries that were refused and are not in this listing. */
  readonly refused: readonly RefusedEntry[];
  private readonly table: SelectedTable;
  private sums: { readonly files: Uint32Array; readonly bytes: Float64Array } | undefined;

  constructor(private readonly data: ListingData) {
    this.table = data.table;
    this.count = data.table.count;
    this.head = data.head;
    this.paths = data.paths;
    this.refused = data.refused;
  }

  /** Offset at which the path of an entry begins in `paths`. */
  pathStart(index: number): number {
    return index === 0 ? 0 : this.pathEnd(index - 1);
  }

  pathEnd(index: number): number {
    return this.table.columns.pathEnd[index] ?? 0;
  }

  path(index: number): RawPath {
    return this.table.path(index);
  }

  type(index: number): EntryType {
    return this.table.type(index);
  }

  sizeBytes(index: number): number {
    return this.table.columns.size[index] ?? 0;
  }

  mode(index: number): number {
    return this.table.columns.mode[index] ?? 0;
  }

  mtime(index: number): Timestamp {
    const { mtimeSeconds, mtimeNanos } = this.table.columns;
    return { seconds: mtimeSeconds[index] ?? 0, nanos: mtimeNanos[index] ?? 0 };
  }

  /** MD5 in hex, or undefined if the manifest has none. */
  md5(index: number): string | undefined {
    return this.table.md5(index);
  }

  /** Parts that only few entries have: segments, holes, link targets. */
  extra(index: number): Extra | undefined {
    return this.data.extras.get(index);
  }

  /** Position in `head.chunks` of the chunk that holds the entry's content; -1 if there is none, and for a file that is cut. */
  chunk(index: number): number {
    // The chunk of an empty file, a folder or a link holds nothing but its name.
    return this.sizeBytes(index) === 0 ? -1 : (this.table.columns.chunk[index] ?? -1);
  }

  /** Positions in `head.chunks` of the chunks that hold the entry's content. */
  chunks(index: number): readonly number[] {
    const chunk = this.chunk(index);
    return this.extra(index)?.segments?.map((segment) => segment.chunk) ?? (chunk < 0 ? [] : [chunk]);
  }

  /** Offset of the content in its chunk's stream. */
  offset(index: number): number {
    return this.table.columns.offset[index] ?? 0;
  }

  /**
   * Storage class by the manifest, which is a hint: a lifecycle rule may have moved the chunk since. Undefined for entries without content.
   */
  storageClass(index: number): string | undefined {
    const chunk = this.chunks(index)[0];
    return chunk === undefined ? undefined : this.head.chunks[chunk]?.storageClass;
  }

  /** Whether the content must be restored from cold storage before it can be read, as far as the manifest knows. */
  isCold(index: number): boolean {
    const inCold = (chunk: number): boolean => isColdClass(this.head.chunks[chunk]?.storageClass ?? '');
    const chunk = this.chunk(index);
    return chunk >= 0 ? inCold(chunk) : this.chunks(index).some(inCold);
  }

  /** The DVC stages that entries have. */
  get stages(): readonly string[] {
    return this.data.stages.values;
  }

  stage(index: number): string | undefined {
    return this.stages[(this.data.stages.column[index] ?? 0) - 1];
  }

  /** The git commits that entries have. */
  get commits(): readonly string[] {
    return this.data.commits.values;
  }

  commit(index: number): string | undefined {
    return this.commits[(this.data.commits.column[index] ?? 0) - 1];
  }

  uid(index: number): number {
    return this.table.columns.uid[index] ?? 0;
  }

  gid(index: number): number {
    return this.table.columns.gid[index] ?? 0;
  }

  /** Returns an entry as a manifest has it, without what is not kept here: time of status change, inode, names of owners. */
  entry(index: number): Entry {
    const chunk = this.table.columns.chunk[index] ?? -1;
    const { xattrs, zeroRuns, ...extra } = this.extra(index) ?? {};
    const md5 = this.md5(index);
    const stage = this.stage(index);
    const commit = this.commit(index);
    const mtime = this.mtime(index);
    return {
      path: this.path(index),
      type: this.type(index),
      size: this.sizeBytes(index),
      mtime,
      ctime: mtime,
      mode: this.mode(index),
      inode: TOP,
      uid: this.uid(index),
      gid: this.gid(index),
      ...(md5 === undefined ? {} : { md5 }),
      ...(chunk < 0 ? {} : { chunk, offset: this.offset(index) }),
      ...extra,
      ...(zeroRuns && { holes: zeroRuns }),
      ...(xattrs && { xattrs: new Map(Array.from(xattrs, ([name, value]) => [name, Buffer.from(value)])) }),
      ...(stage === undefined ? {} : { stage }),
      ...(commit === undefined ? {} : { commit }),
    };
  }

  /** Finds the entry of a path, which has no slashes around it. */
  find(path: RawPath): number | undefined {
    const wanted = bytesOf(path);
    const index = this.lowerBound(wanted);
    return index < this.count && this.comparePath(index, wanted) === 0 ? index : undefined;
  }

  /** Whether a path is a folder: because it has an entry, because of entries below it, or because it is the top. */
  isFolder(path: RawPath): boolean {
    if (path === '') return true;
    const index = this.find(path);
    if (index !== undefined) return this.type(index) === 'directory';
    const { start, end } = this.below(path);
    return end > start;
  }

  /** Returns the range of entries below a folder, at any depth; '' is the top. */
  below(folder: RawPath): EntryRange {
    if (folder === '') return { start: 0, end: this.count };
    return {
      start: this.lowerBound(bytesOf(pathBelow(folder, TOP))),
      end: this.lowerBound(bytesOf(withEnd(folder, AFTER_SLASH))),
    };
  }

  /**
   * Yields the direct children of a folder that begin with `prefix`, in path order; skips deeper entries. Of those that `within` has entries
   * of, if it is given.
   */
  *children(folder: RawPath, prefix: RawPath = TOP, within?: PathRange): Generator<Child> {
    const { start, end: last } = this.below(folder);
    const above = folder === '' ? TOP : pathBelow(folder, TOP);
    const first = prefix === '' ? start : this.lowerBound(bytesOf(withEnd(above, prefix)));
    const end = within === undefined ? last : Math.min(last, this.lowerBound(bytesOf(within.before)));
    for (let index = Math.max(first, within === undefined ? 0 : this.lowerBound(bytesOf(within.from))); index < end;) {
      const rest = this.path(index).slice(above.length);
      if (!rest.startsWith(prefix)) return;
      const slash = rest.indexOf('/');
      if (slash < 0) {
        yield { name: rest, index, isFolder: this.type(index) === 'directory' };
        index++;
        continue;
      }
      const name = rest.slice(0, slash);
      const path = withEnd(above, name);
      if (this.find(path) === undefined) yield { name, index: undefined, isFolder: true };
      index = this.below(path).end;
    }
  }

  /** Whether everything that there is is listed. */
  get isWhole(): boolean {
    return this.data.part === undefined;
  }

  /** Where everything is listed, in order. */
  get ranges(): readonly PathRange[] {
    return this.data.part?.read ?? [rangeBelow(TOP)];
  }

  /** Whether everything below a folder is listed. */
  isRead(folder: RawPath): boolean {
    return outside(rangeBelow(folder), this.ranges).length === 0;
  }

  /** Files and bytes below a folder; undefined while they are not known. */
  sumBelow(folder: RawPath): Sum | undefined {
    return this.isRead(folder) ? this.sum(this.below(folder)) : this.data.part?.sums.of(folder);
  }

  /** Files and bytes of a range of what is listed, without walking it (except the first time). */
  sum({ start, end }: EntryRange): Sum {
    this.sums ??= this.addUp();
    const { files, bytes } = this.sums;
    return {
      files: (files[end] ?? 0) - (files[start] ?? 0),
      bytes: (bytes[end] ?? 0) - (bytes[start] ?? 0),
    };
  }

  private addUp(): { readonly files: Uint32Array; readonly bytes: Float64Array } {
    const files = new Uint32Array(this.count + 1);
    const bytes = new Float64Array(this.count + 1);
    for (let index = 0; index < this.count; index++) {
      files[index + 1] = (files[index] ?? 0) + (this.type(index) === 'directory' ? 0 : 1);
      bytes[index + 1] = (bytes[index] ?? 0) + this.sizeBytes(index);
    }
    return { files, bytes };
  }

  private comparePath(index: number, wanted: Buffer): number {
    return this.paths.compare(wanted, 0, wanted.length, this.pathStart(index), this.pathEnd(index));
  }

  /** Returns the first entry whose path is not before `wanted`. */
  private lowerBound(wanted: Buffer): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.comparePath(middle, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
