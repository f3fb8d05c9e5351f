// Looks again at the paths that a part of a plan lists, in their order, and makes of them what a scan makes of a folder. What vanished or is
// of another type now is skipped; what changed is taken as it is; what is new is not looked for.
import { Readable } from 'node:stream';
import { EntryTableBuilder, KIND, STATUS } from '../../format/columns/entry-table.js';
import { EntryParser } from '../../format/manifest/entry-json-parse.js';
import { inflateManifest } from '../../format/manifest/inflate-manifest.js';
import type { Entry, EntryType } from '../../format/manifest/manifest-types.js';
import type { Share } from '../../format/parts/share-documents.js';
import { integrityError, systemCode } from '../../platform/failures/errors.js';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import {
  pathBelow,
  type RawPath,
  rawFromBase64,
  rawFromBytes,
  rawFromNumber,
  TOP,
} from '../../platform/paths/raw-path.js';
import { bytesOfPieces } from '../../format/chunk/cut-file.js';
import { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from './left-by-kind.js';
import type { ScannedShare, ScanOptions, ScanResult } from './scan.js';
import { ScannedRows } from './scanned-rows.js';
import { CHANGED_SINCE, isPathError, reasonOf, type Skip } from './skip.js';

/** The entries of a part. */
export interface PartList {
  /** Gzipped lines of JSON, an entry each, without places. */
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Hard link groups up to this number have members in several parts. */
  readonly spanningGroups: number;
  /** Of the files of the list that others pack, too. */
  readonly shares?: readonly Share[] | undefined;
}

const NOTHING = { files: 0, bytes: 0 };
const NO_DVC: ScanResult['dvc'] = {
  linkedFiles: NOTHING,
  cacheLeftOut: NOTHING,
  cacheKept: NOTHING,
  temporary: [],
  localConfigs: [],
  outsideLinks: [],
};
const TYPES: Readonly<Record<EntryType, { readonly bits: number; readonly name: string }>> = {
  file: { bits: S_IFREG, name: 'regular file' },
  hardlink: { bits: S_IFREG, name: 'regular file' },
  directory: { bits: S_IFDIR, name: 'folder' },
  symlink: { bits: S_IFLNK, name: 'symbolic link' },
};
const LINE_END = 10;

/** Looks at every path of the list. @throws not-found, access-denied for the root; integrity for a list that cannot be read */
export async function scanListed(options: Omit<ScanOptions, 'readText'>, list: PartList): Promise<ScanResult> {
  const scanner = new ListScanner(options, list);
  try {
    for await (const line of linesOf(list)) scanner.take(line);
  } finally {
    scanner.close();
  }
  return scanner.result();
}

async function* linesOf({ bytes, name }: PartList): AsyncGenerator<RawPath> {
  let rest = Buffer.alloc(0);
  for await (const piece of inflateManifest(Readable.from([Buffer.from(bytes)]), { what: name })) {
    const text = Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = text.indexOf(LINE_END); end >= 0; end = text.indexOf(LINE_END, start)) {
      yield rawFromBytes(text, start, end);
      start = end + 1;
    }
    rest = text.subarray(start);
  }
  if (rest.length > 0) throw integrityError(`${name} ends in the middle of an entry`);
}

class ListScanner {
  private readonly table = new EntryTableBuilder();
  private readonly parser = new EntryParser(true, false, undefined, true);
  private readonly stat = newStat();
  private readonly root = newStat();
  private readonly rows: ScannedRows;
  private readonly base: RawPath;
  private readonly skipped: Skip[] = [];
  private readonly firstOfGroup = new Map<number, number>();
  private readonly hardlinks: number[] = [];
  private readonly planned: ReadonlyMap<RawPath, Share>;
  private readonly shares: ScannedShare[] = [];
  private files = 0;
  private nextReport = 0;

  constructor(
    private readonly options: Omit<ScanOptions, 'readText'>,
    private readonly list: PartList,
  ) {
    options.fs.lstat(options.root, this.root);
    this.rows = new ScannedRows(this.table, this.stat, options);
    this.base = options.root === '/' ? TOP : options.root;
    this.planned = new Map(list.shares?.map((share) => [rawFromBase64(share.path), share]));
  }

  close(): void {
    this.rows.close();
  }

  take(line: RawPath): void {
    const entry = this.parser.parse(line);
    if ('foreignType' in entry || entry.type === 'deleted')
      throw integrityError(`${this.list.name} has an entry that this archiver does not know`);
    const { path, type } = entry;
    try {
      const target = this.look(pathBelow(this.base, path));
      const { bits, name } = TYPES[type];
      if ((this.stat.mode & S_IFMT) !== bits) return this.skip(entry, `is no ${name} any more`);
      const share = this.planned.get(path);
      if (share === undefined) this.add(entry, bits, target);
      else this.addShare(entry, share);
    } catch (error) {
      if (!isPathError(error)) throw error;
      const isGone = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
      this.skip(entry, isGone ? 'vanished after it was planned' : reasonOf(error, 'cannot be examined'));
    }
  }

  /** Fills `stat`; returns where a link leads. A link that stands for a content of a DVC cache gets the stat of that, as in a scan. */
  private look(absolute: RawPath): RawPath {
    const { fs, filter } = this.options;
    fs.lstat(absolute, this.stat);
    if ((this.stat.mode & S_IFMT) !== S_IFLNK) return TOP;
    const target = fs.readLink(absolute);
    const content = filter.dvc === 'asIs' ? undefined : fs.contentOf(absolute, target);
    if (content !== undefined) fs.lstat(content, this.stat);
    return target;
  }

  private add(entry: Entry, bits: number, target: RawPath): void {
    const group = this.groupOf(entry);
    this.stat.nlink = 1; // groups are those of the plan, whatever names a file has got or lost since
    const index = this.rows.add(entry.path, bits);
    if (bits === S_IFLNK) this.rows.addTarget(index, target);
    if (bits !== S_IFDIR) this.files++;
    if (group !== undefined) this.link(index, group, entry.type === 'hardlink');
    this.report();
  }

  /** Adds a row for each piece of a file, if all who pack pieces of it see the same file. */
  private addShare(entry: Entry, share: Share): void {
    const isHere = this.isAsPlanned(entry);
    this.shares.push({ share, row: isHere ? this.table.count : undefined });
    if (!isHere) return this.skip(entry, CHANGED_SINCE);
    const { path, size } = entry;
    const { bytes } = this.rows;
    this.stat.nlink = 1;
    const row = this.rows.add(path, S_IFREG);
    this.rows.bytes = bytes + bytesOfPieces(size, share);
    this.table.columns.status[row] = STATUS.piece;
    for (let number = share.first; number < share.last; number++) this.table.addCopy(row, path);
    if (share.last === share.of) this.files++;
    this.report();
  }

  /** The inode is not compared: other hosts may have other numbers. */
  private isAsPlanned({ size, mtime, ctime }: Entry): boolean {
    const now = this.stat;
    return (
      size === now.size &&
      isTime(mtime, now.mtimeSeconds, now.mtimeNanos) &&
      isTime(ctime, now.ctimeSeconds, now.ctimeNanos)
    );
  }

  /** The group of a file that is still the one that was planned; of one with members elsewhere only if its content is, too. */
  private groupOf(entry: Entry): number | undefined {
    const { linkGroup, inode } = entry;
    if (linkGroup === undefined || inode !== rawFromNumber(this.stat.inode)) return undefined;
    return this.isAsPlanned(entry) || linkGroup > this.list.spanningGroups ? linkGroup : undefined;
  }

  private link(index: number, group: number, isLater: boolean): void {
    const { columns } = this.table;
    columns.group[index] = group;
    const first = this.firstOfGroup.get(group);
    if (first === undefined) {
      this.firstOfGroup.set(group, index);
      // Its file lies in another part: this one has the content for itself.
      if (isLater && group <= this.list.spanningGroups) this.hardlinks.push(index);
      return;
    }
    columns.kind[index] = KIND.hardlink;
    columns.link[index] = first;
  }

  private skip({ path, type }: Entry, reason: string): void {
    this.skipped.push({ path, reason, special: false, ...(type === 'directory' && { isFolder: true }) });
  }

  private report(): void {
    const now = performance.now();
    if ((this.table.count & 0xff) !== 0 || now < this.nextReport) return;
    this.nextReport = now + 100;
    this.options.onProgress?.(this.files, this.rows.bytes);
  }

  result(): ScanResult {
    const { root, skipped, files, rows, hardlinks, shares } = this;
    const found = { root, skipped, files, bytes: rows.bytes, hardlinks, shares };
    return { ...found, table: this.table.finish(), young: [], leftOut: 0, reasons: [], dvc: NO_DVC };
  }
}

const isTime = (time: Entry['mtime'], seconds: Stat['mtimeSeconds'], nanos: number): boolean =>
  time.seconds === seconds && time.nanos === nanos;
