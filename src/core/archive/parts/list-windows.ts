// The lists of the parts of a plan, made of a source that has too many entries to hold them all: it is listed a window at a time. Where parts
// begin is known when all of it is, so pieces of lists, each a gzip member, lie in a file of this computer until then; a part's list is
// those of its pieces, one after another.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredObject } from '../../cost/stored-object.js';
import { type EntryTable, KIND, openEntryTable } from '../../format/columns/entry-table.js';
import { EntrySums } from '../../dataset/chain/entry-sums.js';
import { collectGarbage } from '../../platform/threads/collect-garbage.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { bytesOfPieces } from '../../format/chunk/cut-file.js';
import { planUpload, sharedPieceBytes, uploadSizes } from '../plan/plan-upload.js';
import { amountsOf } from '../plan/planned-amounts.js';
import { objectsOf } from '../plan/planned-upload.js';
import { UploadLedger } from '../run/upload-ledger.js';
import { lineSources } from '../run/upload-provenance.js';
import type { UploadRun } from '../run/upload-run.js';
import type { ScanResult } from '../scan/scan.js';
import type { ScanOn } from '../with-run.js';
import {
  type CostlyFile,
  costOf,
  cutOver,
  fileAt,
  isToPack,
  PartCutter,
  type PartSize,
  RangeSums,
  type RowShare,
  sharesOf,
} from './cut-parts.js';
import {
  countsOf,
  type ListedPart,
  listOf,
  listsOfTable,
  type PlannedLists,
  plannedTotals,
  shareOf,
} from './planned-lists.js';

/** Pieces are smaller than a part by this factor, so that parts are of equal cost. */
const PIECES_OF_PART = 16;
/** Most of a piece. */
const PIECE_COST = 2 ** 30;
const PIECE_ENTRIES = 4096;
/** Fewer entries are no piece unless they cost most, so that there are not as many pieces as entries. */
const LEAST_ENTRIES = 16;

export interface ListOptions {
  readonly partSize: PartSize;
  /** Entries that are held at once. */
  readonly maxRows: number;
  readonly scanOn: ScanOn;
}

/** Lists all of the source, of which the run has listed the first window at least, and calls `use` with its parts. @throws as a scan does */
export async function withLists<R>(
  run: UploadRun,
  options: ListOptions,
  use: (lists: PlannedLists) => Promise<R>,
): Promise<R> {
  if (run.scanned.last === undefined) return await use(listsOfTable(run, options.partSize));
  const folder = await mkdtemp(join(tmpdir(), 'archiver-plan-'));
  try {
    const file = await open(join(folder, 'lists'), 'wx+', 0o600);
    try {
      return await use(await listWindows(run, options, file));
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function listWindows(
  run: UploadRun,
  { partSize, maxRows, scanOn }: ListOptions,
  file: FileHandle,
): Promise<PlannedLists> {
  const lister = new WindowLister(run, partSize, file);
  for (let scanned = run.scanned; ;) {
    await lister.add(scanned);
    if (scanned.last === undefined) return lister.finish();
    collectGarbage(); // V8 does not count the shared memory of a window, and would keep many
    scanned = await scanOn({ after: scanned.last, maxRows });
  }
}

/** Rows next to each other, and where their lines are. */
interface Piece extends RangeSums {
  readonly first: RawPath;
  readonly offset: number;
  readonly size: number;
  /** Of a row by itself whose file may be larger than a part. */
  readonly file: CostlyFile | undefined;
}

interface LargeRow {
  readonly index: number;
  readonly file: CostlyFile;
}

/** All of a piece, or the share of its file that a part has. */
interface PieceOfPart {
  readonly piece: Piece;
  readonly share: RowShare | undefined;
}

/** A file with several names, and the pieces that they lie in. */
interface LinkGroup {
  readonly number: number;
  readonly bytes: number;
  readonly pieces: number[];
}

class WindowLister {
  private readonly pieces: Piece[] = [];
  private readonly groups = new Map<string, LinkGroup>();
  private readonly objects = new Map<string, { count: number; bytes: number }>();
  private readonly sums = new EntrySums();
  private readonly skipped: ScanResult['skipped'][number][] = [];
  /** Least cost of a part as far as it is known: all costs more than what is listed first. */
  private partCost: number | undefined;
  private scanned = { files: 0, bytes: 0, leftOut: 0, absent: 0 };
  private offset = 0;

  constructor(
    private readonly run: UploadRun,
    private readonly partSize: PartSize,
    private readonly file: FileHandle,
  ) {}

  async add(scanned: ScanResult): Promise<void> {
    const { files, bytes, leftOut, absent } = this.scanned;
    const table = openEntryTable(scanned.table);
    this.scanned = {
      files: files + scanned.files,
      bytes: bytes + scanned.bytes,
      leftOut: leftOut + scanned.leftOut,
      absent: absent + (scanned.absent ?? 0),
    };
    for (const skip of scanned.skipped) this.skipped.push(skip);
    const linked = this.numberLinks(table, scanned);
    this.sums.addCounts(countsOf(table));
    this.addObjects(scanned, table);
    this.partCost ??= partCost(table, this.partSize);
    const most = Math.min(PIECE_COST, this.partCost / PIECES_OF_PART);
    let range = new RangeSums(0);
    for (let index = 0; index < table.count; index++) {
      if (!isToPack(table, index)) continue;
      const file = linked.has(index) ? undefined : this.largeFile(table, index);
      if (file !== undefined) {
        await this.addAlone(table, range, { index, file });
        range = new RangeSums(index + 1);
        continue;
      }
      const cost = range.cost + costOf(table, index);
      const isFull = cost > PIECE_COST || (cost > most && range.entries >= LEAST_ENTRIES);
      if (range.entries > 0 && (isFull || range.entries === PIECE_ENTRIES)) {
        await this.addPiece(table, range);
        range = new RangeSums(index);
      }
      const group = linked.get(index);
      if (group !== undefined) group.pieces.push(this.pieces.length);
      range.add(table, index);
    }
    if (range.entries > 0) await this.addPiece(table, range);
  }

  /** Adds the rows before a large file, and the file, which comes after them. */
  private async addAlone(table: EntryTable, before: RangeSums, { index, file }: LargeRow): Promise<void> {
    if (!before.isEmpty) await this.addPiece(table, before);
    const alone = new RangeSums(index);
    alone.add(table, index);
    await this.addPiece(table, alone, file);
  }

  /** A file that may be larger than a part: parts cost no less than is known so far. */
  private largeFile(table: EntryTable, index: number): CostlyFile | undefined {
    const file = fileAt(table, index);
    const isLarge = file && cutOver(file, this.partCost ?? 0, sharedPieceBytes(this.run, 0)) !== undefined;
    return isLarge === true ? file : undefined;
  }

  /** Gives names of one file one number, whichever windows they are in; returns the groups of rows. */
  private numberLinks(table: EntryTable, { linked = [] }: ScanResult): ReadonlyMap<number, LinkGroup> {
    const { kind, group, size } = table.columns;
    const ofRows = new Map<number, LinkGroup>();
    for (const { row, inode } of linked) {
      if (!isToPack(table, row)) continue;
      const known = this.groups.get(inode);
      const its = known ?? { number: this.groups.size + 1, bytes: size[row] ?? 0, pieces: [] };
      if (known === undefined) this.groups.set(inode, its);
      else kind[row] = KIND.hardlink;
      group[row] = its.number;
      ofRows.set(row, its);
    }
    return ofRows;
  }

  private addObjects(scanned: ScanResult, table: EntryTable): void {
    const window = { ...this.run, scanned, ledger: new UploadLedger(table), emit: () => undefined };
    for (const { storageClass, sizeBytes, count = 1 } of objectsOf(
      planUpload(window, pendingTotals(table)).lanes,
      table,
    )) {
      const sum = this.objects.get(storageClass) ?? { count: 0, bytes: 0 };
      this.objects.set(storageClass, { count: sum.count + count, bytes: sum.bytes + sizeBytes * count });
    }
  }

  private async addPiece(table: EntryTable, range: RangeSums, file?: CostlyFile): Promise<void> {
    const bytes = await listOf(table, range, lineSources(this.run.labels.provenance));
    await this.file.appendFile(bytes);
    const place = { first: table.path(range.start), offset: this.offset, size: bytes.length, file };
    this.pieces.push(Object.assign(range, place));
    this.offset += bytes.length;
  }

  finish(): PlannedLists {
    const { run, groups, skipped } = this;
    const totals = plannedTotals(this.sums.totals, skipped.length);
    run.emit({ type: 'plan', items: totals.files, bytes: totals.bytes });
    const cut = this.cut(sharedPieceBytes(run, totals.bytes));
    const scanned = { ...this.scanned, skipped };
    const objects = (): Iterable<StoredObject> =>
      Array.from(this.objects, ([storageClass, { count, bytes }]) => ({
        storageClass,
        count,
        sizeBytes: bytes / count,
      }));
    return {
      ...cut,
      linkGroups: groups.size,
      totals,
      scanned,
      sizes: uploadSizes(run, scanned.bytes, totals.bytes),
      amounts: amountsOf(run, { objects, entries: totals.entries }),
      classes: this.objects.keys(),
    };
  }

  private cut(pieceBytes: number): Pick<PlannedLists, 'parts' | 'spanning'> {
    const { pieces, groups } = this;
    const read = readerOf(this.file);
    const cutter = new PartCutter(
      pieces.reduce((sum, { cost }) => sum + cost, 0),
      this.partSize,
    );
    const ofParts: PieceOfPart[][] = [];
    const partOf = pieces.map((piece, position) => {
      for (const { isNext, share } of sharesOf(cutter, position, piece.cost, piece.file, pieceBytes)) {
        if (isNext || ofParts.length === 0) ofParts.push([]);
        ofParts.at(-1)?.push({ piece, share });
      }
      return ofParts.length;
    });
    const again = (group: LinkGroup): number => new Set(group.pieces.map((piece) => partOf[piece])).size - 1;
    const bytes = Array.from(groups.values(), (group) => group.bytes * again(group));
    return {
      parts: ofParts.map((its) => partOfPieces(its, read)),
      // Numbers were given before it was known where parts begin: any may have members in several.
      spanning: { groups: groups.size, bytes: bytes.reduce((sum, one) => sum + one, 0) },
    };
  }
}

/** The least that a part costs if all of the source begins with `table`. */
function partCost(table: EntryTable, wanted: PartSize): number {
  if ('bytes' in wanted) return wanted.bytes;
  let total = 0;
  for (let index = 0; index < table.count; index++) if (isToPack(table, index)) total += costOf(table, index);
  return total / wanted.count;
}

function partOfPieces(pieces: readonly PieceOfPart[], read: ReadPieces): ListedPart {
  const sum = (of: (one: PieceOfPart) => number): number => pieces.reduce((total, one) => total + of(one), 0);
  const [{ first, offset } = { first: TOP, offset: 0 }] = pieces.map(({ piece }) => piece);
  // A file counts with its last piece.
  const counted = (of: 'entries' | 'files') =>
    sum(({ piece, share }) => (share === undefined || share.last === share.of ? piece[of] : 0));
  const bytes = sum(({ piece, share }) => (share === undefined ? piece.bytes : bytesOfPieces(piece.bytes, share)));
  const shares = pieces.flatMap(({ piece, share }) => (share === undefined ? [] : [shareOf(piece.first, share)]));
  const size = sum(({ piece }) => piece.size);
  return { first, entries: counted('entries'), files: counted('files'), bytes, shares, list: () => read(offset, size) };
}

type ReadPieces = (offset: number, size: number) => Promise<Buffer>;

/** Reads pieces into one buffer, again and again: those of all parts would be in memory until they are collected. */
function readerOf(file: FileHandle): ReadPieces {
  let buffer = Buffer.alloc(0);
  return async (offset, size) => {
    if (buffer.length < size) buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, offset);
    if (bytesRead === size) return buffer.subarray(0, size);
    throw new ArchiverError('io', 'the lists of the plan were changed in the folder for temporary files');
  };
}
