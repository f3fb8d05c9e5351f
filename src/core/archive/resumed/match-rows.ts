// Finds out which rows of a new scan are stored already: those that an acknowledged chunk lists with the same path, type, size, times,
// inode, mode, owner and link target. Everything else stays pending and is read and sent again, so that old and new content are never
// mixed.
//
// A group of hard links is taken over as a whole or not at all, and so is a cut file. Pieces of a cut file whose last one
// is missing are only reported: they are packed again, for the checksum runs through all of them, and not sent again when
// they come out the same.
import type { EntryTable } from '../../format/columns/entry-table.js';
import { KIND, STATUS } from '../../format/columns/entry-table.js';
import { placeRow, reopenRow } from '../scan/reopen-rows.js';
import type { Codec } from '../../platform/codec/codec-type.js';
import type { EntryExtra } from '../../format/manifest/entry-line.js';
import type { Entry, EntryType, Segment } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type ChunkTable, type PartRecord, readChunkTable } from '../../format/chunk/chunk-table.js';
import type { AcknowledgedChunk } from '../resume/upload-journal.js';
import type { SentPiece } from '../run/upload-run.js';
import { splitUploadKey } from '../../store/ids/upload-id.js';

const TYPES: readonly EntryType[] = ['file', 'directory', 'symlink', 'hardlink'];

export interface MatchOptions {
  readonly table: EntryTable;
  /** Receives what stored rows have beside the columns. */
  readonly extras: Map<number, EntryExtra>;
  /** Chunks that are in the store; each number occurs once. */
  readonly chunks: readonly AcknowledgedChunk[];
  readonly codec: Codec;
  /** Files without a checksum do not count as stored. */
  readonly fileChecksums: boolean;
}

export interface Match {
  /** Numbers of the chunks that stored rows refer to. */
  readonly used: ReadonlySet<number>;
  /** For each row, pieces of files that are not stored to their end. */
  readonly pieces: ReadonlyMap<number, readonly SentPiece[]>;
}

/**
 * Marks pending rows that are stored; their `chunk` is set to the number of the chunk. @throws integrity, unsupported for a table of
 * contents
 */
export function matchRows(options: MatchOptions): Match {
  return new Matcher(options).run();
}

class Matcher {
  private readonly used = new Set<number>();
  private readonly pieces = new Map<number, SentPiece[]>();
  /** Rows that this match marked as stored. */
  private readonly matched: Uint8Array;
  private readonly segments = new Map<number, readonly Segment[]>();
  private readonly there: ReadonlySet<number>;
  /** Row where the search starts: tables list paths in order, so the next one is near. */
  private next = 0;

  constructor(private readonly options: MatchOptions) {
    this.matched = new Uint8Array(options.table.count);
    this.there = new Set(options.chunks.map(({ record }) => record.chunk));
  }

  run(): Match {
    // The newest of several matching mentions of a path is taken.
    const chunks = this.options.chunks.toSorted((a, b) => b.record.chunk - a.record.chunk);
    for (const chunk of chunks) this.takeChunk(chunk);
    this.settleGroups();
    for (let row = 0; row < this.matched.length; row++) if (this.matched[row] === 1) this.use(row);
    for (const row of this.pieces.keys()) if (this.matched[row] === 1) this.pieces.delete(row);
    return { used: this.used, pieces: this.pieces };
  }

  private takeChunk(chunk: AcknowledgedChunk): void {
    const place = splitUploadKey(chunk.key);
    if (place === undefined) return; // a journal has no such keys
    const table = readChunkTable(this.options.codec, Buffer.from(chunk.toc), place.uploadId);
    this.next = 0;
    if (table.part !== undefined) this.takePiece(chunk, table, table.part);
    else for (const entry of table.lines()) this.takeEntry(entry, chunkNumberOf(entry, chunk));
  }

  private takeEntry(entry: Entry, chunk: number, segments?: readonly Segment[]): void {
    const row = this.pendingRow(entry);
    if (row !== undefined && this.hasChecksum(row, entry)) this.store(row, entry, chunk, segments);
  }

  /** Takes a piece of a cut file. The last piece counts for all of them, and for all names of the file. */
  private takePiece(chunk: AcknowledgedChunk, table: ChunkTable, { number, of, offset }: PartRecord): void {
    const { segments } = chunk;
    if (number === of && segments?.every((segment) => this.there.has(segment.chunk)) === true)
      for (const entry of table.lines()) this.takeEntry(entry, chunk.record.chunk, segments);
    this.next = 0;
    const row = table.first === undefined ? undefined : this.pendingRow(table.first);
    if (row === undefined) return;
    const found = this.pieces.get(row) ?? [];
    this.pieces.set(row, found);
    if (!found.some((piece) => piece.number === number && piece.of === of)) found.push({ number, of, offset, chunk });
  }

  /** Returns the row that is still to be packed and looks like this entry. */
  private pendingRow(entry: Entry): number | undefined {
    const row = this.rowOf(entry.path);
    return row !== undefined && this.isPending(row) && this.isSame(row, entry) ? row : undefined;
  }

  private store(row: number, entry: Entry, chunk: number, segments?: readonly Segment[]): void {
    const { table, extras } = this.options;
    const { offset, md5, sha256, xxh64, holes, xattrs } = entry;
    table.columns.status[row] = STATUS.stored;
    placeRow(table, extras, row, { chunk, offset, md5, sha256, xxh64, segments, holes, xattrs });
    this.matched[row] = 1;
    if (segments !== undefined) this.segments.set(row, segments);
  }

  private isPending(row: number): boolean {
    const { status, kind } = this.options.table.columns;
    return status[row] === STATUS.pending && kind[row] !== KIND.dropped;
  }

  private isSame(row: number, entry: Entry): boolean {
    const { table } = this.options;
    const c = table.columns;
    const kind = c.kind[row] ?? KIND.dropped;
    if (TYPES[kind] !== entry.type || entry.changed === true) return false;
    if ((c.group[row] !== 0) !== (entry.linkGroup !== undefined)) return false;
    if (kind === KIND.symlink && table.targets[c.link[row] ?? 0] !== entry.target) return false;
    const hasSize = kind === KIND.file || kind === KIND.hardlink;
    return (!hasSize || entry.size === c.size[row]) && this.hasSameStatus(row, entry);
  }

  private hasSameStatus(row: number, { mtime, ctime, mode, uid, gid, inode }: Entry): boolean {
    const c = this.options.table.columns;
    return (
      mtime.seconds === c.mtimeSeconds[row] &&
      mtime.nanos === c.mtimeNanos[row] &&
      ctime.seconds === c.ctimeSeconds[row] &&
      ctime.nanos === c.ctimeNanos[row] &&
      mode === c.mode[row] &&
      uid === c.uid[row] &&
      gid === c.gid[row] &&
      inode === String(c.inode[row])
    );
  }

  private hasChecksum(row: number, { md5 }: Entry): boolean {
    const kind = this.options.table.columns.kind[row];
    const isFile = kind === KIND.file || kind === KIND.hardlink;
    return md5 !== undefined || !isFile || !this.options.fileChecksums;
  }

  /** Reopens groups of hard links that are not matched completely and in one chunk. */
  private settleGroups(): void {
    const { columns, count } = this.options.table;
    const chunkOf = new Map<number, number>();
    const torn = new Set<number>();
    for (let row = 0; row < count; row++) {
      const group = columns.group[row] ?? 0;
      if (group === 0 || columns.kind[row] === KIND.dropped) continue;
      const chunk = this.matched[row] === 1 ? (columns.chunk[row] ?? -1) : -1;
      if (chunk < 0 || (chunkOf.get(group) ?? chunk) !== chunk) torn.add(group);
      chunkOf.set(group, chunk);
    }
    if (torn.size === 0) return;
    for (let row = 0; row < count; row++) {
      if (this.matched[row] !== 1 || !torn.has(columns.group[row] ?? 0)) continue;
      this.matched[row] = 0;
      reopenRow(this.options.table, this.options.extras, row);
    }
  }

  private use(row: number): void {
    const segments = this.segments.get(row);
    if (segments !== undefined) for (const { chunk } of segments) this.used.add(chunk);
    else this.used.add(this.options.table.columns.chunk[row] ?? -1);
  }

  private rowOf(path: RawPath): number | undefined {
    const { table } = this.options;
    const { next } = this;
    if (next >= table.count) return undefined;
    if (table.path(next) === path) {
      this.next++;
      return next;
    }
    let low = next;
    let high = table.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (table.path(middle) < path) low = middle + 1;
      else high = middle;
    }
    this.next = low;
    if (low >= table.count || table.path(low) !== path) return undefined;
    this.next = low + 1;
    return low;
  }
}

/** Number of the chunk that holds the content: for a direct file its own number, which the table of contents gives. */
const chunkNumberOf = (entry: Entry, { record, direct = [] }: AcknowledgedChunk): number =>
  direct.length === 0 ? record.chunk : (entry.chunk ?? record.chunk);
