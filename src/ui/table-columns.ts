// Chooses the columns of a result table and their widths: never wider than the terminal. Columns that may be cut shrink first, then whole
// columns go in the order that the table states, then words are cut, and at last columns go from the right. Numbers are never cut: a part of
// an amount is a wrong amount. So are words of which a part tells nothing, such as states and times.
import { GAP } from './columns.js';
import { widthOf } from './text.js';

export interface TableColumn {
  readonly key: string;
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** True for columns that are cut in the middle first (paths, sources), false for those that are never cut, as if they were numbers. */
  readonly isCuttable?: boolean;
  /** The columns with the highest number go first when there is no room; those without one go last, from the right. */
  readonly dropOrder?: number;
}

export type TableRow = Readonly<Record<string, string | number | undefined>>;

export interface FittedColumn {
  readonly column: TableColumn;
  readonly width: number;
}

export interface FittedTable {
  readonly shown: readonly FittedColumn[];
  /** Columns without room, in the order in which they went. */
  readonly gone: readonly TableColumn[];
}

const SHORTEST_CUT = 12;
/** Words are cut to this before a column goes that the table's order does not name. */
const SHORTEST_WORDS = 6;

/** The text of a cell; a dash for an unknown value. */
export function cellText(row: TableRow, { key }: TableColumn): string {
  return String(row[key] ?? '-');
}

/** Chooses columns and widths for a terminal of `width` cells. */
export function fitColumns(rows: readonly TableRow[], columns: readonly TableColumn[], width: number): FittedTable {
  const gone: TableColumn[] = [];
  let shown: readonly FittedColumn[] = columns.map((column) => ({
    column,
    width: Math.min(width, naturalWidth(rows, column)),
  }));
  const drop = (last: FittedColumn): void => {
    shown = shown.filter((candidate) => candidate !== last);
    gone.push(last.column);
  };
  while (overflow(shrink(shown, width), width) > 0) {
    const last = leastImportant(shown);
    if (last === undefined) break;
    drop(last);
  }
  while (shown.length > 1 && overflow(shrinkWords(shown, width), width) > 0)
    for (const last of shown.slice(-1)) drop(last);
  return { shown: shrinkWords(shown, width), gone };
}

function naturalWidth(rows: readonly TableRow[], column: TableColumn): number {
  return rows.reduce((widest, row) => Math.max(widest, widthOf(cellText(row, column))), widthOf(column.title));
}

function overflow(fitted: readonly FittedColumn[], width: number): number {
  const gaps = GAP * Math.max(0, fitted.length - 1);
  return fitted.reduce((sum, column) => sum + column.width, gaps) - width;
}

function leastImportant(fitted: readonly FittedColumn[]): FittedColumn | undefined {
  const droppable = fitted.filter(({ column }) => column.dropOrder !== undefined);
  return droppable.toSorted((a, b) => (b.column.dropOrder ?? 0) - (a.column.dropOrder ?? 0))[0];
}

/** Takes the excess from the cuttable columns, always from the widest. */
function shrink(fitted: readonly FittedColumn[], width: number): readonly FittedColumn[] {
  const cuttable = fitted.filter(({ column }) => column.isCuttable);
  return takeFromWidest(fitted, cuttable, overflow(fitted, width), SHORTEST_CUT);
}

/** Takes what is still too much from all columns of words. */
function shrinkWords(fitted: readonly FittedColumn[], width: number): readonly FittedColumn[] {
  const narrow = shrink(fitted, width);
  const words = narrow.filter(({ column: { isCuttable, align } }) => isCuttable ?? align !== 'right');
  return takeFromWidest(narrow, words, overflow(narrow, width), SHORTEST_WORDS);
}

function takeFromWidest(
  fitted: readonly FittedColumn[],
  from: readonly FittedColumn[],
  excess: number,
  shortest: number,
): readonly FittedColumn[] {
  const widths = new Map(fitted.map(({ column, width }) => [column, width]));
  const now = ({ column }: FittedColumn): number => widths.get(column) ?? 0;
  for (let left = excess; left > 0; left -= 1) {
    const widest = from.toSorted((a, b) => now(b) - now(a))[0];
    if (widest === undefined || now(widest) <= shortest) break;
    widths.set(widest.column, now(widest) - 1);
  }
  return fitted.map((candidate) => ({ column: candidate.column, width: now(candidate) }));
}
