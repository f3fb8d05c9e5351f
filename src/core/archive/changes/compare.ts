// Compares what was scanned with the view of an earlier version: both come in byte order of the path, so that it is one
// merge. Content counts as unchanged when size, mtime and ctime are; where they are not, it may be read and compared once all is
// known (refer.ts). The result is written into the status column: `pending` is to be packed, `same` needs no mention,
// `kept` needs one that refers to the old content.
//
// It cannot see an edit that leaves size and both times as they were (docs/architecture.md).
import type { EntryBatch } from '../../dataset/chain/merged-view.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { isRows } from '../../format/rows/row-lines.js';
import { type RawPath, parentOf } from '../../platform/paths/raw-path.js';
import type { EntryExtra } from '../../format/manifest/entry-line.js';
import { stageAfter } from '../../format/manifest/provenance.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { defined } from '../../platform/defined.js';
import type { ChangeCounts } from '../run/change-counts.js';
import { LinkGroups } from './compare-links.js';
import { type LookOptions, looksAtEach } from './looks-at-each.js';
import type { KnownContents } from './known-contents.js';
import { placeRow, reopenRow } from '../scan/reopen-rows.js';
import { areSameXattrs, type Xattrs } from '../scan/current-xattrs.js';
import type { SeenEntries } from './seen-entries.js';
import type { Skip } from '../scan/skip.js';

export interface Comparison {
  /** Counts without files that turned out to be unreadable since; called again when everything is packed. */
  readonly counts: () => Readonly<ChangeCounts>;
  /** How a row that is no folder compares with the earlier version. */
  readonly changeOf: (index: number) => 'added' | 'modified' | 'unchanged';
  /** Topmost paths that are gone, in byte order; none without `trackDeletes`. */
  readonly deleted: readonly RawPath[];
  /** Number of paths, folders aside, that are deleted below this folder of the top one. */
  readonly deletedBelow: (name: RawPath) => number;
  /** Entries to pack. */
  readonly pending: number;
  /** Entries whose metadata alone changed. */
  readonly kept: number;
  /** Entries that an earlier attempt of this upload has stored and that differ from the view. */
  readonly stored: number;
  /** Files and links of the earlier version that are kept as they were, because they changed too lately or could not be read. */
  readonly unseen: number;
  /** Added paths that are one that is gone, with something after a further dot. */
  readonly suffixed: number;
  /** An earlier comparison has said so of a scan like this one. */
  readonly isRecalled?: true;
  /** The first path that only the earlier version has and whose content must not be referred to. */
  readonly lost: RawPath | undefined;
}

export interface CompareOptions extends LookOptions {
  readonly table: EntryTable;
  /** Receives what `kept` entries have beside the columns. */
  readonly extras: Map<number, EntryExtra>;
  readonly skipped: readonly Skip[];
  /** Receives each entry of the earlier version. */
  readonly seen?: SeenEntries;
  /** Files that changed too lately: they are kept as they were before. */
  readonly young?: readonly RawPath[];
  readonly trackDeletes: boolean;
  /** Extended attributes of a path as they are now; `before` where they cannot be read. */
  readonly xattrsOf: (path: RawPath, before: Entry['xattrs']) => Xattrs | undefined;
  /** Receives the contents that may be referred to: those that are gone or changed, or all of them with `findsCopies`. */
  readonly known?: KnownContents | undefined;
  /** Do not read content of the same size and mtime again only because the ctime moved. */
  readonly ignoreCtime?: boolean;
  /** Empty files have attributes that are only known once they are read: those with other times are packed. */
  readonly readsEmpty?: boolean;
}

/** How a row compares with the earlier version. */
const CHANGE = { none: 0, added: 1, modified: 2 } as const;
const WORDS = ['unchanged', 'added', 'modified'] as const;

/** Marks every row of the table that is not packed yet; `view` yields the earlier version's entries in path order. */
export async function compareWithView(view: AsyncIterable<EntryBatch>, options: CompareOptions): Promise<Comparison> {
  const comparer = new Comparer(options);
  for await (const batch of view)
    if (isRows(batch)) comparer.takeRows(batch);
    else for (const entry of batch) comparer.take(entry);
  return comparer.finish();
}

/** The comparison with a version of which nothing differs, except that it has `gone` paths more. */
export const alike = (options: CompareOptions, gone: number): Comparison => new Comparer(options).alike(gone);

class Comparer {
  private readonly missing = { deleted: 0, gone: 0 };
  /** One of `CHANGE` for each row. */
  private readonly changes: Uint8Array;
  private readonly deleted: RawPath[] = [];
  private readonly deletedFolders = new Set<RawPath>();
  private readonly deletedByTop = new Map<RawPath, number>();
  private readonly unknown: ReadonlySet<RawPath>;
  private readonly links: LinkGroups;
  private row = 0;
  /** The path of `row`, once it was asked for. */
  private known: RawPath | undefined;
  private readonly passesSame: boolean;
  private lost: RawPath | undefined;
  private unseen = 0;
  private suffixed = 0;
  /** The path that was found to be gone last: it comes right before those that begin with it. */
  private lastGone: RawPath | undefined;

  constructor(private readonly options: CompareOptions) {
    // A path that could not be read is not gone.
    const unread = options.skipped.filter(({ special }) => !special).map(({ path }) => path);
    this.unknown = new Set([...unread, ...(options.young ?? [])]);
    const { table, extras } = options;
    this.passesSame = !looksAtEach(options);
    this.changes = new Uint8Array(table.count);
    this.links = new LinkGroups(table, {
      keep: (index, content, before) => this.fill(index, content, before),
      reopen: (index) => reopenRow(table, extras, index),
      modify: (index) => void (this.changes[index] = CHANGE.modified),
    });
    this.seek();
  }

  /** Moves to the next row that is archived. */
  private seek(): void {
    const { table } = this.options;
    while (this.row < table.count && table.columns.kind[this.row] === KIND.dropped) this.row++;
    this.known = undefined;
  }

  /** Undefined after the last row. */
  private get path(): RawPath | undefined {
    const { table } = this.options;
    if (this.row < table.count) this.known ??= table.path(this.row);
    return this.known;
  }

  private next(): void {
    this.row++;
    this.seek();
  }

  takeRows(batch: RowBatch): void {
    const { table, seen } = this.options;
    for (let at = 0; at < batch.count; at++) {
      if (!this.passesSame || !isSameRow(table, this.row, batch, at)) {
        this.take(batch.entry(at));
        continue;
      }
      seen?.addRow(batch, at, this.row);
      table.columns.status[this.row] = STATUS.same;
      this.next();
    }
  }

  take(entry: Entry): void {
    while (this.path !== undefined && this.path < entry.path) this.isNew();
    const { seen } = this.options;
    if (this.path !== entry.path) {
      seen?.add(entry, undefined);
      this.gone(entry);
      this.know(entry);
      return;
    }
    seen?.add(entry, this.row);
    this.compare(this.row, entry);
    this.next();
  }

  /** Remembers content that was at the path of `row`, or is gone: it may be at another path now. */
  private know(entry: Entry, row?: number): void {
    const { known } = this.options;
    if (known === undefined || this.isAvoided(entry)) return;
    const { kind, size, link, mtimeSeconds, mtimeNanos } = this.options.table.columns;
    if (row === undefined || size[row] !== entry.size) {
      known.add(entry);
      return;
    }
    const { seconds, nanos } = entry.mtime;
    const isSameTime = seconds === mtimeSeconds[row] && nanos === mtimeNanos[row];
    known.addSaid(row, entry);
    // Only the first of several hard links is read.
    known.addBefore(kind[row] === KIND.hardlink ? (link[row] ?? row) : row, entry, isSameTime);
  }

  private isNew(): void {
    this.links.add(this.row, undefined);
    this.changes[this.row] = CHANGE.added;
    if (this.lastGone !== undefined && isSuffixed(this.path ?? this.lastGone, this.lastGone)) this.suffixed++;
    this.next();
  }

  private gone(entry: Entry): void {
    const { path, type } = entry;
    const isUnknown = this.isUnknown(path);
    if (!this.options.trackDeletes || isUnknown) {
      if (type !== 'directory') {
        if (isUnknown) this.unseen++;
        else this.missing.gone++;
        this.lastGone = path;
      }
      if (this.isAvoided(entry)) this.lost ??= path;
      return;
    }
    if (type !== 'directory') {
      this.missing.deleted++;
      const slash = path.indexOf('/');
      const top = path.slice(0, Math.max(0, slash));
      if (slash > 0) this.deletedByTop.set(top, (this.deletedByTop.get(top) ?? 0) + 1);
      this.lastGone = path;
    }
    const isCovered = this.deletedFolders.has(parentOf(path));
    if (!isCovered) this.deleted.push(path);
    if (type === 'directory') this.deletedFolders.add(path);
  }

  private isUnknown(path: RawPath): boolean {
    if (this.unknown.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.unknown.has(path.slice(0, end))) return true;
    }
    return false;
  }

  private isAvoided({ chunk, segments }: Entry): boolean {
    const { avoid } = this.options;
    if (avoid === undefined) return false;
    return (chunk !== undefined && avoid.has(chunk)) || segments?.some((part) => avoid.has(part.chunk)) === true;
  }

  private compare(index: number, entry: Entry): void {
    const { table, isForced } = this.options;
    const { status } = table.columns;
    const looksLike = this.verdict(index, entry);
    const verdict = isForced === true || this.isAvoided(entry) ? STATUS.pending : looksLike;
    if (verdict === STATUS.pending) this.know(entry, index);
    else if (this.options.findsCopies === true) this.know(entry);
    // A row that an earlier attempt of this upload has sent can be mentioned as it is stored.
    if (verdict === STATUS.same || status[index] === STATUS.pending) status[index] = verdict;
    if (verdict === STATUS.kept && status[index] === STATUS.kept) this.fill(index, entry, entry);
    this.links.add(index, verdict === STATUS.pending ? undefined : entry);
    if (looksLike !== STATUS.same) this.changes[index] = CHANGE.modified;
  }

  private verdict(index: number, entry: Entry): number {
    const kind = this.options.table.columns.kind[index];
    if (kind === KIND.file || kind === KIND.hardlink) return this.contentVerdict(index, entry);
    const isSame =
      kind === KIND.symlink ? entry.type === 'symlink' && this.hasSameTarget(index, entry) : entry.type === 'directory';
    if (!isSame || !this.isSameBare(index, entry)) return STATUS.pending;
    return this.hasSameStage(index, entry) ? STATUS.same : STATUS.kept;
  }

  private contentVerdict(index: number, entry: Entry): number {
    const isContent = entry.type === 'file' || entry.type === 'hardlink';
    if (!isContent || !this.hasSameContent(index, entry)) return STATUS.pending;
    return this.isSameBare(index, entry) && this.hasSameStage(index, entry) ? STATUS.same : STATUS.kept;
  }

  private hasSameContent(index: number, entry: Entry): boolean {
    const { changed, size } = entry;
    if (changed === true || size !== this.options.table.columns.size[index]) return false;
    const isNothing = size === 0 && this.options.readsEmpty !== true;
    return isNothing || (this.hasSameTime(index, entry) && this.hasSameCtime(index, entry));
  }

  private hasSameTime(index: number, { mtime }: Entry): boolean {
    const c = this.options.table.columns;
    return mtime.seconds === c.mtimeSeconds[index] && mtime.nanos === c.mtimeNanos[index];
  }

  private hasSameCtime(index: number, { ctime }: Entry): boolean {
    const { table, ignoreCtime } = this.options;
    const c = table.columns;
    return ignoreCtime === true || (ctime.seconds === c.ctimeSeconds[index] && ctime.nanos === c.ctimeNanos[index]);
  }

  private hasSameOwner(index: number, { mode, uid, gid }: Entry): boolean {
    const c = this.options.table.columns;
    return mode === c.mode[index] && uid === c.uid[index] && gid === c.gid[index];
  }

  /** Folders and links have no content: a change of their metadata packs their header again. */
  private isSameBare(index: number, entry: Entry): boolean {
    return this.hasSameTime(index, entry) && this.hasSameOwner(index, entry) && this.hasSameXattrs(index, entry);
  }

  private hasSameTarget(index: number, { target }: Entry): boolean {
    const { table } = this.options;
    return target === table.targets[table.columns.link[index] ?? 0];
  }

  /** Compares extended attributes; they need not be read if the ctime is the same, since a change moves it. */
  private hasSameXattrs(index: number, { ctime, xattrs }: Entry): boolean {
    const { table, xattrsOf } = this.options;
    const c = table.columns;
    if (ctime.seconds === c.ctimeSeconds[index] && ctime.nanos === c.ctimeNanos[index]) return true;
    return areSameXattrs(xattrsOf(table.path(index), xattrs), xattrs);
  }

  private hasSameStage(index: number, { stage }: Entry): boolean {
    const { table, stages } = this.options;
    return stages === undefined || stageAfter(stages, table.path(index), stage) === stage;
  }

  /** Refers to the content of `entry`; `earlier` is the path's own earlier entry. */
  private fill(index: number, entry: Entry, earlier: Pick<Entry, 'stage' | 'commit'> = {}): void {
    const { table, extras, xattrsOf } = this.options;
    const { chunk, offset, md5, sha256, xxh64, segments, holes } = entry;
    const { stage, commit } = earlier;
    const xattrs = xattrsOf(table.path(index), entry.xattrs);
    // Keeps the old ctime, so that a later sync that goes by ctimes reads the file that this one has not read.
    const ctime = this.options.ignoreCtime === true ? entry.ctime : undefined;
    const before = (stage ?? commit ?? ctime) === undefined ? undefined : defined({ stage, commit, ctime });
    placeRow(table, extras, index, { chunk, offset, md5, sha256, xxh64, segments, holes, xattrs, before });
  }

  alike(gone: number): Comparison {
    const { status } = this.options.table.columns;
    for (; this.path !== undefined; this.next()) status[this.row] = STATUS.same;
    this.missing.gone = gone;
    return { ...this.finish(), isRecalled: true };
  }

  finish(): Comparison {
    while (this.path !== undefined) this.isNew();
    this.links.settle();
    const { columns, count } = this.options.table;
    let [pending, kept, stored] = [0, 0, 0];
    for (let index = 0; index < count; index++) {
      if (columns.kind[index] === KIND.dropped) continue;
      const status = columns.status[index];
      if (status === STATUS.pending) pending++;
      else if (status === STATUS.kept) kept++;
      else if (status === STATUS.stored || status === STATUS.changed) stored++;
    }
    const { deleted, lost, unseen, suffixed } = this;
    const changeOf = (index: number): 'added' | 'modified' | 'unchanged' =>
      WORDS[this.changes[index] ?? 0] ?? 'unchanged';
    const deletedBelow = (name: RawPath): number => this.deletedByTop.get(name) ?? 0;
    return {
      counts: () => this.counts(),
      changeOf,
      deleted,
      deletedBelow,
      pending,
      kept,
      stored,
      unseen,
      suffixed,
      lost,
    };
  }

  /** Counts changes. A file that could not be read is in the version as it was before, or not at all, and is counted nowhere. */
  private counts(): ChangeCounts {
    const { columns, count } = this.options.table;
    const found = [0, 0, 0];
    for (let index = 0; index < count; index++) {
      const kind = columns.kind[index];
      const isOther = kind === KIND.directory || kind === KIND.dropped;
      if (isOther || columns.status[index] === STATUS.skipped) continue;
      const change = this.changes[index] ?? CHANGE.none;
      found[change] = (found[change] ?? 0) + 1;
    }
    const [unchanged = 0, added = 0, modified = 0] = found;
    const referred = this.options.known === undefined ? {} : { referred: { files: 0, bytes: 0 } };
    return { added, modified, unchanged, ...this.missing, ...referred };
  }
}

/** Whether a row of the table has the path of a row of the earlier version, and looks as that does. Files with several names are left to others. */
function isSameRow({ columns: c, paths, count }: EntryTable, row: number, before: RowBatch, at: number): boolean {
  if (row >= count || c.kind[row] !== before.kind[at] || c.group[row] !== 0) return false;
  const isSame =
    (c.kind[row] === KIND.directory || c.size[row] === before.size[at]) &&
    c.mtimeSeconds[row] === before.mtimeSeconds[at] &&
    c.mtimeNanos[row] === before.mtimeNanos[at] &&
    c.ctimeSeconds[row] === before.ctimeSeconds[at] &&
    c.ctimeNanos[row] === before.ctimeNanos[at] &&
    c.mode[row] === before.mode[at] &&
    c.uid[row] === before.uid[at] &&
    c.gid[row] === before.gid[at];
  if (!isSame) return false;
  const from = row === 0 ? 0 : c.pathEnd[row - 1];
  const beforeFrom = at === 0 ? 0 : before.pathEnd[at - 1];
  return paths.compare(before.paths, beforeFrom, before.pathEnd[at], from, c.pathEnd[row]) === 0;
}

const isSuffixed = (path: RawPath, before: RawPath): boolean =>
  path.startsWith(`${before}.`) && !path.includes('/', before.length);
