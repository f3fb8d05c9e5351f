// Cuts what was scanned into parts of equal cost. Pure.
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { bytesOfPieces, cutFile, type FileCut } from '../../format/chunk/cut-file.js';
import { padded } from '../../format/tar/tar-block.js';

/** What a file costs beside its bytes, in bytes: opening, reading and listing a small file takes as long as packing so many bytes. */
export const ENTRY_COST = 64 * 1024;
export const DEFAULT_PART_BYTES = 64 * 2 ** 30;

/** Rows `start` to `end` (exclusive) of a table, among them rows that are not packed. */
export interface PartRange {
  readonly start: number;
  readonly end: number;
  readonly entries: number;
  /** Everything but folders. */
  readonly files: number;
  readonly bytes: number;
  readonly shares: readonly RowShare[];
}

/** Pieces of a row's file, those with the numbers `first` to `last`: others lie in other parts. The file counts with its last piece. */
export interface RowShare extends FileCut {
  readonly row: number;
  readonly first: number;
  readonly last: number;
}

/** So many parts, or as many as there are parts of so much cost. */
export type PartSize = { readonly count: number } | { readonly bytes: number };

/** Whether a row is to be packed. Nothing else has a part. */
export const isToPack = ({ columns: { kind, status } }: EntryTable, index: number): boolean =>
  status[index] === STATUS.pending && kind[index] !== KIND.dropped;

/** What packing a row costs, in bytes. */
export const costOf = ({ columns: { kind, size } }: EntryTable, index: number): number =>
  ENTRY_COST + (kind[index] === KIND.file ? (size[index] ?? 0) : 0);

/** Says where parts begin. */
export class PartCutter {
  /** What a part is to cost. */
  readonly partCost: number;
  private readonly count: number;
  private before = 0;
  private slot = 0;

  constructor(
    /** Cost of everything. */
    private readonly total: number,
    wanted: PartSize,
  ) {
    this.count = 'count' in wanted ? wanted.count : Math.max(1, Math.ceil(total / wanted.bytes));
    this.partCost = 'count' in wanted ? total / wanted.count : wanted.bytes;
  }

  /** Takes what comes next, in the order of paths; returns whether it lies in another part than what came before. */
  take(cost: number): boolean {
    const { before, slot, count, total } = this;
    this.slot = Math.min(count - 1, Math.floor(((before + cost / 2) / total) * count));
    this.before += cost;
    return this.slot > slot;
  }

  /** Takes the pieces of a file; returns those of each part, and whether the first of them lies in another part than what came before. */
  takePieces(cost: number, of: number): readonly PieceRun[] {
    const runs: { isNext: boolean; first: number; last: number }[] = [];
    for (let number = 1; number <= of; number++) {
      const isNext = this.take(cost / of);
      const run = runs.at(-1);
      if (isNext || run === undefined) runs.push({ isNext, first: number, last: number });
      else run.last = number;
    }
    return runs;
  }
}

interface PieceRun extends Pick<RowShare, 'first' | 'last'> {
  readonly isNext: boolean;
}

/** What a file costs, and what is stored of it. */
export interface CostlyFile {
  readonly size: number;
  /** Without holes. */
  readonly dataBytes: number;
}

/** More pieces of one file make its entry, and the records of its chunks, large: a larger file has larger pieces. */
const MOST_PIECES = 2 ** 17;

/** How a file is cut over parts; undefined for one that a part can hold, or that lies in one chunk. */
export function cutOver({ size, dataBytes }: CostlyFile, partCost: number, pieceBytes: number): FileCut | undefined {
  if (size <= partCost || dataBytes <= pieceBytes) return undefined;
  return cutFile(size, Math.max(pieceBytes, padded(size / MOST_PIECES)));
}

/** A file with one name, by row; undefined for others: names of one file may lie in several parts, which would cut it differently. */
export function fileAt({ columns }: EntryTable, index: number): CostlyFile | undefined {
  if (columns.kind[index] !== KIND.file || columns.group[index] !== 0) return undefined;
  const size = columns.size[index] ?? 0;
  return { size, dataBytes: Math.min(size, columns.allocated[index] ?? 0) };
}

/**
 * Returns the parts in the order of paths, always at least one. A file that is larger than a part is cut, at the borders of the pieces that
 * it is packed in; nothing else is, so that there may be fewer parts than were asked for.
 */
export function cutParts(table: EntryTable, wanted: PartSize, pieceBytes: number): readonly PartRange[] {
  let total = 0;
  for (let index = 0; index < table.count; index++) if (isToPack(table, index)) total += costOf(table, index);
  const cutter = new PartCutter(total, wanted);
  const ranges: PartRange[] = [];
  let range = new RangeSums(0);
  for (let index = 0; index < table.count; index++) {
    if (!isToPack(table, index)) continue;
    const file = fileAt(table, index);
    for (const { isNext, share } of sharesOf(cutter, index, costOf(table, index), file, pieceBytes)) {
      if (isNext && !range.isEmpty) {
        ranges.push(range);
        range = new RangeSums(index);
      }
      range.add(table, index, share);
    }
  }
  return [...ranges, range];
}

/** Takes a row; returns its share in each part, undefined for all of it, and whether that begins another part. */
export function sharesOf(
  cutter: PartCutter,
  row: number,
  cost: number,
  file: CostlyFile | undefined,
  pieceBytes: number,
): readonly { readonly isNext: boolean; readonly share: RowShare | undefined }[] {
  const cut = file && cutOver(file, cutter.partCost, pieceBytes);
  if (cut === undefined) return [{ isNext: cutter.take(cost), share: undefined }];
  const runs = cutter.takePieces(cost, cut.of);
  const isCut = runs.length > 1;
  return runs.map(({ isNext, ...run }) => ({ isNext, share: isCut ? { row, ...cut, ...run } : undefined }));
}

/** Sums of rows next to each other. */
export class RangeSums implements PartRange {
  end: number;
  entries = 0;
  files = 0;
  bytes = 0;
  cost = 0;
  readonly shares: RowShare[] = [];

  constructor(readonly start: number) {
    this.end = start;
  }

  get isEmpty(): boolean {
    return this.end === this.start;
  }

  add(table: EntryTable, index: number, share?: RowShare): void {
    const { kind, size } = table.columns;
    this.end = index + 1;
    if (share !== undefined) {
      this.shares.push(share);
      this.bytes += bytesOfPieces(size[index] ?? 0, share);
      if (share.last < share.of) return;
    }
    this.entries++;
    this.cost += costOf(table, index);
    if (kind[index] !== KIND.directory) this.files++;
    if (kind[index] === KIND.file && share === undefined) this.bytes += size[index] ?? 0;
  }
}

/**
 * Numbers hard link groups anew: those with members in several parts come first. Returns how many there are, how many of these, and the bytes that are stored
 * again because each part has the content for itself.
 */
export function numberGroups(
  table: EntryTable,
  ranges: readonly PartRange[],
): { readonly all: number; readonly groups: number; readonly bytes: number } {
  const { group, size } = table.columns;
  const lastPart = new Map<number, number>();
  const spanning = new Map<number, number>();
  let bytes = 0;
  const members = function* (): Generator<readonly [index: number, group: number, part: number]> {
    for (const [part, { start, end }] of ranges.entries())
      for (let index = start; index < end; index++)
        if (group[index] !== 0 && isToPack(table, index)) yield [index, group[index] ?? 0, part];
  };
  for (const [index, number, part] of members()) {
    const last = lastPart.get(number);
    lastPart.set(number, part);
    if (last === undefined || last === part) continue;
    if (!spanning.has(number)) spanning.set(number, spanning.size + 1);
    bytes += size[index] ?? 0;
  }
  const numbers = new Map(spanning);
  for (const number of lastPart.keys()) if (!numbers.has(number)) numbers.set(number, numbers.size + 1);
  for (const [index, number] of members()) group[index] = numbers.get(number) ?? 0;
  return { all: numbers.size, groups: spanning.size, bytes };
}
