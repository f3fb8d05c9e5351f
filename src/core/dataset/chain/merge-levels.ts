// The effective view of a chain of manifests: a merge of streams that all come in byte order of the path. The only place
// that knows the rule:
// - the newest mention of a path wins;
// - a deletion hides the path and everything older below it;
// - so does any mention that is not a directory, even where a still newer mention is a directory.
// Runs of one level are passed on without comparing with the others again, so a small delta on a large listing is cheap.
import type { ForeignEntry } from '../../format/manifest/entry-json-parse.js';
import { type EntryBatch, type ForeignSink, type Level, type MergedView } from './merged-view.js';
import { isRows } from '../../format/rows/row-lines.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Entry, Mention, ChunkRecord } from '../../format/manifest/manifest-types.js';
import { moveEntry, type Placing } from '../../format/manifest/move-entry.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import { HidingPaths } from './hiding-paths.js';
import { readAhead } from './read-ahead.js';
import { type Cursor, LevelCursor } from './level-cursor.js';
import { RowCursor } from './row-cursor.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { RowScanner } from '../../format/rows/row-scanner.js';
import { UnitedChunks } from '../../format/manifest/united-chunks.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';

const BATCH = 1024;

export interface MergeOptions {
  /** The highest number of a group of hard links in the oldest level, whose groups keep their numbers. */
  readonly linkGroups?: number;
}

/** Merges levels, newest first, into one view. @throws integrity when two of them describe a chunk differently */
export function mergeLevels(levels: readonly Level[], uploadId: UploadId, options: MergeOptions = {}): MergedView {
  const { chunks, positions } = uniteChunks(levels, uploadId);
  const placesOf = (): LevelPlaces => new LevelPlaces(positions, chunks.length, options.linkGroups);
  const mayTakeRows = positions.at(-1)?.every((position, at) => position === at) === true;
  return {
    chunks,
    entries: (onForeign = refuseForeign) => new Merge(levels, placesOf(), onForeign).entries(),
    batches: (onForeign = refuseForeign, ahead?: number) =>
      new Merge(levels, placesOf(), onForeign, mayTakeRows ? { ahead } : undefined).run(),
  };
}

function refuseForeign({ path, foreignType }: ForeignEntry): never {
  throw new ArchiverError('unsupported', `${displayPath(path)} is of the unknown type '${displayPath(foreignType)}'`, {
    hint: 'update archiver',
  });
}

class Merge {
  private readonly cursors: Cursor[];
  /** The cursor on the oldest level, where rows are taken from it. */
  private readonly base: RowCursor | undefined;
  private readonly hiding = new HidingPaths();
  private readonly oldest: number;
  private out: Entry[] = [];
  private rows: RowBatch | undefined;

  constructor(
    levels: readonly Level[],
    private readonly places: LevelPlaces,
    private readonly onForeign: ForeignSink,
    rows?: { readonly ahead: number | undefined },
  ) {
    this.oldest = levels.length - 1;
    const oldest = levels.at(-1);
    const scanner = rows !== undefined && oldest?.texts !== undefined ? RowScanner.open() : undefined;
    const newer = scanner === undefined ? levels : levels.slice(0, -1);
    this.cursors = newer.map((level, index) => new LevelCursor(level, index));
    if (scanner === undefined || oldest?.texts === undefined) return;
    this.base = new RowCursor(oldest, {
      texts: rows?.ahead === undefined ? oldest.texts() : readAhead(oldest.texts(), rows.ahead),
      index: this.oldest,
      scanner,
    });
    this.cursors.push(this.base);
  }

  async *entries(): AsyncGenerator<readonly Entry[]> {
    for await (const batch of this.run()) if (!isRows(batch)) yield batch;
  }

  async *run(): AsyncGenerator<EntryBatch> {
    try {
      for (;;) {
        const leader = this.leader();
        // Looking for the next path, a cursor may have come to the end of what is there.
        if (await this.refill()) continue;
        if (leader === undefined) break;
        this.step(leader);
        if (this.out.length >= BATCH || (this.rows !== undefined && this.out.length > 0)) yield this.flush();
        if (this.rows === undefined) continue;
        yield this.rows;
        this.rows = undefined;
      }
      if (this.out.length > 0) yield this.flush();
    } finally {
      for (const cursor of this.cursors) await cursor.close();
    }
  }

  /** Fetches more for the cursors that need it; false when none does. */
  private async refill(): Promise<boolean> {
    const drained = this.cursors.filter(({ isDrained }) => isDrained);
    for (const cursor of drained) await cursor.refill();
    return drained.length > 0;
  }

  private flush(): readonly Entry[] {
    const { out } = this;
    this.out = [];
    return out;
  }

  /** The level with the first path in order; of several with that path, the newest. */
  private leader(): Cursor | undefined {
    let leader: Cursor | undefined;
    let first: RawPath | undefined;
    for (const cursor of this.cursors) {
      const { path } = cursor;
      if (path === undefined || (first !== undefined && path >= first)) continue;
      leader = cursor;
      first = path;
    }
    return leader;
  }

  /** Takes lines of the leader up to the next path of another level, at most to the end of its batch. */
  private step(leader: Cursor): void {
    if (this.takesRows(leader)) return;
    const { path } = leader;
    this.take(leader);
    // The next line of the other levels may have to be fetched, and on the oldest level rows may come next.
    if (this.passSame(leader, path) || leader === this.base) return;
    const bound = this.nextOfOthers(leader);
    while (leader.path !== undefined && (bound === undefined || leader.path < bound)) this.take(leader);
  }

  /** Takes rows up to the next path of another level, if the leader has some and nothing hides them. */
  private takesRows(leader: Cursor): boolean {
    if (leader !== this.base || leader.path === undefined || !this.hiding.isEmptyFrom(leader.path)) return false;
    this.rows = this.base.takeRows(this.nextOfOthers(leader));
    return this.rows !== undefined;
  }

  /** Passes the lines of other levels with this path; true if there are any. */
  private passSame(leader: Cursor, path: RawPath | undefined): boolean {
    let isShared = false;
    for (const cursor of this.cursors) {
      if (cursor === leader || cursor.path !== path) continue;
      isShared = true;
      this.hide(cursor);
      cursor.next();
    }
    return isShared;
  }

  private nextOfOthers(leader: Cursor): RawPath | undefined {
    let first: RawPath | undefined;
    for (const cursor of this.cursors) {
      const path = cursor === leader ? undefined : cursor.path;
      if (path !== undefined && (first === undefined || path < first)) first = path;
    }
    return first;
  }

  private take(cursor: Cursor): void {
    const { line, index } = cursor;
    if (line === undefined) return;
    if (!this.hiding.hides(line.path, index)) this.emit(line, index);
    this.hide(cursor);
    cursor.next();
  }

  /** Records that a line hides what older levels have below its path; the oldest level cannot hide anything. */
  private hide(cursor: Cursor): void {
    if (cursor.index === this.oldest) return;
    const { line, index } = cursor;
    if (line !== undefined && typeOf(line) !== 'directory') this.hiding.add(line.path, index);
  }

  private emit(line: Line, level: number): void {
    const type = typeOf(line);
    if (type === undefined) this.onForeign(line as ForeignEntry);
    else if (type !== 'deleted') this.out.push(this.places.moved(line as Entry, level));
  }
}

/** The type of a line; undefined for an unknown one. Cheaper than `in`, which matters for a million entries. */
const typeOf = (line: Line): Mention['type'] | undefined => (line as Partial<Mention>).type;

// Moves entries of a level into a merged view: positions of chunks, and numbers of hard link groups, which each level
// numbers on its own.

class LevelPlaces {
  private readonly groups: readonly Map<number, number>[];
  private readonly placings: readonly Placing[];
  private nextGroup: number;

  /** `positions`: for each level, the positions in the view of its chunks; `chunks`: number of chunks of the view. */
  constructor(
    private readonly positions: readonly Uint32Array[],
    private readonly chunks: number,
    private readonly linkGroups?: number,
  ) {
    this.groups = positions.map(() => new Map<number, number>());
    this.placings = positions.map((_, level) => (chunk) => this.position(chunk, level));
    this.nextGroup = (linkGroups ?? 0) + 1;
  }

  /** The entry with the positions and numbers of the view; the same object when nothing changes. */
  moved(entry: Entry, level: number): Entry {
    const place = this.placings[level];
    const moved = place === undefined ? entry : moveEntry(entry, place);
    return moved.linkGroup === undefined || this.keepsGroups(level)
      ? moved
      : { ...moved, linkGroup: this.group(moved.linkGroup, level) };
  }

  /** The position of a chunk in the view; one outside its level's list becomes one outside the view's list. */
  private position(chunk: number, level: number): number {
    return this.positions[level]?.[chunk] ?? (chunk < this.chunks ? this.chunks + chunk : chunk);
  }

  private keepsGroups(level: number): boolean {
    const { length } = this.positions;
    return length === 1 || (this.linkGroups !== undefined && level === length - 1);
  }

  private group(number: number, level: number): number {
    const groups = this.groups[level];
    const known = groups?.get(number);
    if (known !== undefined) return known;
    const group = this.nextGroup++;
    groups?.set(number, group);
    return group;
  }
}

/** The positions of the chunks of each level in one list, of which those of the oldest level come first. @throws integrity when an object is described in two ways */
function uniteChunks(
  levels: readonly Pick<Level, 'uploadId' | 'chunks'>[],
  uploadId: UploadId,
): { readonly chunks: readonly ChunkRecord[]; readonly positions: readonly Uint32Array[] } {
  const united = new UnitedChunks(uploadId);
  // Oldest first: the positions of the level with the most entries stay as they are.
  const positions = levels
    .toReversed()
    .map((level) =>
      Uint32Array.from(level.chunks, (record) => united.add(level.uploadId, record, manifestKeyOf(level.uploadId))),
    )
    .toReversed();
  return { chunks: united.list, positions };
}
