// Walks the source into an EntryTable, in the byte order of whole paths, so that nothing has to be sorted afterwards:
// what is in folder `a` belongs after `a-b` (`/` sorts after `-`), so a folder waits in `pending` until its turn.
import { isArchiverError } from '../../platform/failures/errors.js';
import { leadsOut } from '../../platform/paths/leads-out.js';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import { type RawPath, TOP, joinPath, pathBelow, withEnd } from '../../platform/paths/raw-path.js';
import { EntryTableBuilder, type EntryTableData, KIND } from '../../format/columns/entry-table.js';
import { createFilter, IGNORE_FILE, type PathFilter } from './filter.js';
import type { FilterOptions } from './filter-options.js';
import { type DvcFindings, DvcFolders, type DvcPlace } from './dvc-folders.js';
import { type FolderTag, folderTags, isTagged } from './folder-tags.js';
import { leftByKind, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } from './left-by-kind.js';
import { LeftOut } from './left-out.js';
import { unreachable } from './unreachable.js';
import { defined } from '../../platform/defined.js';
import type { Share } from '../../format/parts/share-documents.js';
import { type LinkedRow, ScannedRows } from './scanned-rows.js';
import { isPathError, reasonOf, type Skip } from './skip.js';
import { insertSorted, type PendingFolder } from './pending-folders.js';
import { type ScanWindow, WindowCursor } from './scan-window.js';
import { type Ahead, RowsAhead } from './rows-ahead.js';
import { SortedNames } from './sorted-names.js';
import type { SourceFs } from './source-fs.js';
import { isUnited } from './united-source.js';

export interface ScanResult {
  readonly table: EntryTableData;
  readonly root: Stat;
  readonly skipped: readonly Skip[];
  /** Number of the first of `skipped` that a list names and that do not exist. */
  readonly absent?: number;
  readonly files: number;
  readonly bytes: number;
  /** Files that changed too lately (`settledBeforeMs`). */
  readonly young: readonly RawPath[];
  /** Number of paths that are not archived: by a rule, or because they are skipped. */
  readonly leftOut: number;
  /** Reasons of dropped rows (left-out.ts). */
  readonly reasons: readonly string[];
  readonly dvc: DvcFindings;
  /** Rows of a part that are hard links to files in other parts (scan-listed.ts). */
  readonly hardlinks?: readonly number[];
  /** Shares of a part whose file is there, in order. */
  readonly shares?: readonly ScannedShare[];
  /** Set by a scan that has ended at its limit: the last path; the next one begins after it. */
  readonly last?: RawPath;
  /** Of a scan with a limit: rows of files with several names, wherever those are. */
  readonly linked?: readonly LinkedRow[];
  /** True if what was written into the rows of a chunk ahead may be lost. */
  readonly hasMoved?: boolean;
}

/** Pieces of a file that others pack, too: rows next to each other, which differ in nothing. */
export interface ScannedShare {
  readonly share: Share;
  /** Of the first piece; undefined for a file that is there but not as it was planned. */
  readonly row: number | undefined;
}

export interface ScanOptions {
  readonly fs: SourceFs;
  /** Absolute, resolved path of the source. */
  readonly root: RawPath;
  readonly filter: FilterOptions;
  readonly window?: ScanWindow | undefined;
  /**
   * Returns the text of a small regular file, or the first `bytes` of any; undefined for anything else, which is then no ignore file and
   * no tag.
   */
  readonly readText: (path: RawPath, bytes?: number) => RawPath | undefined;
  /** Called now and then with the counts so far. */
  readonly onProgress?: (files: number, bytes: number) => void;
  /** Has chunks made of what is listed while more is. */
  readonly ahead?: Ahead | undefined;
}

/** Lists everything below `root` that the filter keeps. @throws not-found, access-denied for the root; usage for a bad pattern */
export function scan(options: ScanOptions): ScanResult {
  return new Scanner(options).run();
}

class Scanner {
  private readonly table = new EntryTableBuilder();
  private readonly skipped: Skip[] = [];
  private readonly young: RawPath[] = [];
  private readonly filter: PathFilter;
  private readonly stat = newStat();
  private readonly rows: ScannedRows;
  private readonly skipTrees: ReadonlySet<RawPath>;
  /** Path that stands before a slash and a relative path; empty for the root of the file system. */
  private readonly base: RawPath;
  private readonly leftOut: LeftOut;
  private readonly dvc: DvcFolders;
  private readonly tags: readonly FolderTag[];
  /** Tags of the folder that was listed last, if what they leave out is listed. */
  private namedTags: readonly FolderTag[] = [];
  private files = 0;
  private absent = 0;
  private nextReport = 0;
  private rootDevice = 0;
  private readonly window: WindowCursor;
  private readonly ahead: RowsAhead | undefined;

  constructor(private readonly options: ScanOptions) {
    const { ahead } = options;
    this.ahead = ahead && new RowsAhead(this.table, this.stat, ahead);
    this.window = new WindowCursor(options.window);
    this.filter = createFilter(options.filter);
    this.rows = new ScannedRows(this.table, this.stat, options);
    this.leftOut = new LeftOut(this.table, options.filter.namesLeftOut === true);
    this.dvc = new DvcFolders((options.filter.dvc ?? 'workspace') !== 'workspace');
    this.skipTrees = new Set(options.filter.skipTrees);
    this.base = options.root === '/' ? TOP : options.root;
    this.tags = folderTags(options.filter);
  }

  run(): ScanResult {
    const root = newStat();
    const { fs, filter, window } = this.options;
    fs.lstat(this.options.root, root);
    this.rootDevice = root.device;
    try {
      const isFirst = window?.after === undefined;
      const absent = isFirst ? unreachable(filter.listed ?? [], fs, this.base) : [];
      for (const skip of absent) this.skipped.push(skip);
      this.absent = absent.length;
      this.folder(TOP);
    } finally {
      this.rows.close();
    }
    const dvc = this.dvc.finish(
      this.table,
      (inode) => this.rows.has(inode),
      (index, bytes) => this.drop(index, bytes),
    );
    const { table, skipped, absent, young, files, leftOut } = this;
    return {
      dvc,
      ...defined({ last: this.window.last, linked: this.rows.linked }),
      table: table.finish(),
      root,
      skipped,
      absent,
      young,
      files,
      bytes: this.rows.bytes,
      leftOut: leftOut.count,
      reasons: leftOut.reasons,
      hasMoved: table.hasMoved,
    };
  }

  /** Scans a folder; returns whether anything below it was kept. */
  private folder(folder: RawPath): boolean {
    const names = this.namesIn(folder);
    if (names === undefined) return false;
    const tags = this.namedTags;
    const place = this.dvc.placeOf(folder);
    const prefix = folder === '' ? TOP : pathBelow(folder, TOP);
    const pending: PendingFolder[] = [];
    let kept = false;
    for (const name of names) {
      if (this.descend(pending, name)) kept = true;
      if (this.window.isOver) return kept;
      const path = withEnd(prefix, name);
      if (this.window.isDone(path)) {
        if (this.mayHoldMore(path, place)) insertSorted(pending, { key: `${name}/`, path, index: -1, keep: true });
        continue;
      }
      const [tag] = tags;
      if (tag !== undefined && !tags.some((one) => one.name === name)) {
        this.leftOut.add(path, () => tag.rule);
        continue;
      }
      const found = this.entry(path, pathBelow(this.base, path), place);
      if (found === undefined) continue;
      if (found.keep) kept = true;
      if (found.enter) {
        insertSorted(pending, { key: `${name}/`, path, index: found.index, keep: found.keep });
        if (!found.keep) this.window.undecided++;
      }
      this.window.reached(path, this.table.count);
    }
    if (this.descend(pending, undefined)) kept = true;
    this.filter.leave(folder);
    return kept;
  }

  /** Returns the names in byte order; undefined (and skipped) when the folder cannot be listed. @throws for the source itself */
  private namesIn(folder: RawPath): Iterable<RawPath> | undefined {
    const { fs, root, filter } = this.options;
    const absolute = folder === '' ? root : pathBelow(this.base, folder);
    try {
      const names = new SortedNames();
      let hasIgnoreFile = false;
      const present = new Set<RawPath>();
      for (const name of fs.readDirectory(absolute)) {
        names.add(name);
        if (name === IGNORE_FILE) hasIgnoreFile = true;
        if (this.tags.some((tag) => tag.name === name)) present.add(name);
      }
      this.namedTags = [];
      // Sources that stand side by side are in no folder together.
      if (folder === '' && isUnited(root)) return names;
      if (filter.ignoreFiles !== false && hasIgnoreFile) this.enter(folder, absolute);
      const tags = this.tags.filter((tag) => present.has(tag.name) && isTagged(absolute, tag, this.options.readText));
      if (tags.length === 0) return names;
      if (!this.leftOut.isNamed) return [...new Set(tags.map(({ name }) => name))].sort();
      this.namedTags = tags;
      return names;
    } catch (error) {
      if (folder === '' || !isPathError(error)) throw error;
      this.skip(folder, reasonOf(error, 'cannot be listed'), true);
      return undefined;
    }
  }

  /** Scans the folders whose turn comes before `name` (undefined: all). True when anything in them was kept. */
  private descend(pending: PendingFolder[], name: RawPath | undefined): boolean {
    let kept = false;
    const isDue = (next: PendingFolder): boolean => name === undefined || next.key < name;
    for (let next = pending[0]; next !== undefined && isDue(next) && !this.window.isOver; next = pending[0]) {
      pending.shift();
      const found = this.folder(next.path);
      if (!next.keep) this.window.undecided--;
      if (found) kept = true;
      else if (!next.keep) this.table.columns.kind[next.index] = KIND.dropped;
    }
    return kept;
  }

  /** Whether a path that the scan before has listed is a folder of which it has not listed everything. */
  private mayHoldMore(path: RawPath, place: DvcPlace): boolean {
    const { fs, filter } = this.options;
    const absolute = pathBelow(this.base, path);
    if (!this.window.mayHoldMore(path) || this.skipTrees.has(absolute) || this.dvc.isTemporary(place, path))
      return false;
    try {
      fs.lstat(absolute, this.stat);
    } catch {
      return false; // it is gone by now, or the scan before has said why it cannot be examined
    }
    const isFolder = (this.stat.mode & S_IFMT) === S_IFDIR && this.filter.judge(path, true) !== 'leave';
    return isFolder && !(filter.oneFileSystem && this.stat.device !== this.rootDevice);
  }

  private enter(folder: RawPath, absolute: RawPath): void {
    try {
      const text = this.options.readText(pathBelow(absolute, IGNORE_FILE));
      if (text !== undefined) this.filter.enter(folder, text);
    } catch (error) {
      // It would be worse to archive what someone asked to leave out than to stop.
      if (isArchiverError(error)) throw error;
      if (!this.window.hasBegun(folder)) this.skip(joinPath(folder, IGNORE_FILE), reasonOf(error, 'cannot be read'));
    }
  }

  private entry(
    path: RawPath,
    absolute: RawPath,
    place: DvcPlace,
  ): { index: number; enter: boolean; keep: boolean } | undefined {
    const { stat } = this;
    try {
      this.options.fs.lstat(absolute, stat);
    } catch (error) {
      // Its kind is not known: it is left out silently only if neither a file nor a folder of this name is wanted.
      const isWanted = [true, false].some((isFolder) => this.filter.judge(path, isFolder) !== 'leave');
      if (isWanted) this.skip(path, reasonOf(error, 'cannot be examined'));
      return undefined;
    }
    const isDirectory = (stat.mode & S_IFMT) === S_IFDIR;
    const verdict = this.filter.judge(path, isDirectory);
    const rule = (): string => this.filter.ruleOf(path, isDirectory);
    if (verdict === 'leave') {
      this.leftOut.add(path, rule, isDirectory);
      return undefined;
    }
    const target = (stat.mode & S_IFMT) === S_IFLNK ? this.follow(path, absolute) : TOP;
    if (target === undefined) return undefined;
    const type = stat.mode & S_IFMT;
    if ((isDirectory && this.isTemporary(place, path)) || this.isLeftOut(path, absolute, type)) return undefined;
    const index = this.addRow(path, type, place, target);
    this.ahead?.add(index, place, verdict === 'look');
    // The folder is dropped later if nothing below it is wanted.
    if (verdict === 'look') this.leftOut.explain(index, rule);
    if (!isDirectory) this.files++;
    this.report();
    return { index, enter: isDirectory && this.enters(path), keep: verdict === 'keep' };
  }

  private isTemporary(place: DvcPlace, path: RawPath): boolean {
    if (!this.dvc.isTemporary(place, path)) return false;
    this.dvc.addTemporary(path);
    this.leftOut.add(path, () => 'temporary files of DVC', true);
    return true;
  }

  private addRow(path: RawPath, type: number, place: DvcPlace, target: RawPath): number {
    if (type === S_IFREG) return this.addFile(path, place, target !== '');
    const index = this.rows.add(path, type);
    if (type === S_IFLNK) this.rows.addTarget(index, target);
    return index;
  }

  private addFile(path: RawPath, place: DvcPlace, isLinked: boolean): number {
    const { stat } = this;
    if (place !== undefined) this.dvc.begin(place, path, stat);
    const index = this.rows.add(path, S_IFREG);
    if (place !== undefined) this.dvc.add(place, { path, index, stat });
    if (isLinked) this.dvc.addLinked(stat);
    return index;
  }

  private isLeftOut(path: RawPath, absolute: RawPath, type: number): boolean {
    const isFolder = type === S_IFDIR;
    const isOwn = isFolder && this.skipTrees.has(absolute);
    const found = leftByKind(type, { stat: this.stat, filter: this.options.filter, isOwn });
    if (found === undefined) return false;
    const { reason, isSpecial, isYoung } = found;
    if (isSpecial) this.skipped.push({ path, reason, special: true, ...(isFolder && { isFolder }) });
    if (isYoung) this.young.push(path);
    this.leftOut.add(path, () => reason, isFolder);
    return true;
  }

  private enters(path: RawPath): boolean {
    const isOther = this.options.filter.oneFileSystem && this.stat.device !== this.rootDevice;
    if (isOther) this.leftOut.add(path, () => '--one-file-system', true);
    return !isOther;
  }

  /**
   * Returns where a link leads; undefined (and skipped) if it cannot be read. If it stands for a content of a DVC cache, `stat` becomes that
   * of the content.
   */
  private follow(path: RawPath, absolute: RawPath): RawPath | undefined {
    const { fs, filter } = this.options;
    try {
      const target = fs.readLink(absolute);
      const content = filter.dvc === 'asIs' ? undefined : fs.contentOf(absolute, target);
      if (content === undefined) return this.linkTo(target, path, absolute);
      fs.lstat(content, this.stat);
      this.stat.nlink = 1; // its other names are those of the cache
      return target;
    } catch (error) {
      this.skip(path, reasonOf(error, 'link cannot be read'));
      return undefined;
    }
  }

  private linkTo(target: RawPath, path: RawPath, absolute: RawPath): RawPath {
    const isOutside = leadsOut(path, target) && !`${target}/`.startsWith(pathBelow(this.base, TOP));
    const { fs, filter } = this.options;
    if (isOutside && filter.dvc !== 'asIs' && fs.isInRepository(absolute)) this.dvc.addOutside(path);
    return target;
  }

  /** Leaves out a content of a cache that is stored as another file. */
  private drop(index: number, bytes: number): void {
    this.files--;
    this.rows.bytes -= bytes;
    this.leftOut.addRow(index, () => 'in the cache of DVC, and stored as a file of the workspace');
  }

  private skip(path: RawPath, reason: string, isFolder = false): void {
    this.skipped.push({ path, reason, special: false, ...(isFolder && { isFolder }) });
    this.leftOut.add(path, () => reason);
  }

  private report(): void {
    if ((this.table.count & 0x3ff) !== 0 || this.options.onProgress === undefined) return;
    const now = performance.now();
    if (now < this.nextReport) return;
    this.nextReport = now + 100;
    this.options.onProgress(this.files, this.rows.bytes);
  }
}
