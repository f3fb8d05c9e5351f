// Cuts what was scanned into parts of equal cost. Pure.
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';

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
  private readonly count: number;
  private before = 0;
  private slot = 0;

  constructor(
    /** Cost of everything. */
    private readonly total: number,
    wanted: PartSize,
  ) {
    this.count = 'count' in wanted ? wanted.count : Math.max(1, Math.ceil(total / wanted.bytes));
  }

  /** Takes what comes next, in the order of paths; returns whether it lies in another part than what came before. */
  take(cost: number): boolean {
    const { before, slot, count, total } = this;
    this.slot = Math.min(count - 1, Math.floor(((before + cost / 2) / total) * count));
    this.before += cost;
    return this.slot > slot;
  }
}

/**
 * Returns the parts in the order of paths. A file is never divided, so that there may be fewer than were asked for, and one that is larger
 * than the others; always at least one.
 */
export function cutParts(table: EntryTable, wanted: PartSize): readonly PartRange[] {
  let total = 0;
  for (let index = 0; index < table.count; index++) if (isToPack(table, index)) total += costOf(table, index);
  const cutter = new PartCutter(total, wanted);
  const ranges: PartRange[] = [];
  let range = new RangeSums(0);
  for (let index = 0; index < table.count; index++) {
    if (!isToPack(table, index)) continue;
    if (cutter.take(costOf(table, index)) && range.entries > 0) {
      ranges.push(range);
      range = new RangeSums(index);
    }
    range.add(table, index);
  }
  return [...ranges, range];
}

/** Sums of rows next to each other. */
export class RangeSums implements PartRange {
  end: number;
  entries = 0;
  files = 0;
  bytes = 0;
  cost = 0;

  constructor(readonly start: number) {
    this.end = start;
  }

  add(table: EntryTable, index: number): void {
    const { kind, size } = table.columns;
    this.end = index + 1;
    this.entries++;
    this.cost += costOf(table, index);
    if (kind[index] !== KIND.directory) this.files++;
    if (kind[index] === KIND.file) this.bytes += size[index] ?? 0;
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
