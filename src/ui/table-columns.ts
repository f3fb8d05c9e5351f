// Chooses the columns of a result table and their widths: never wider than the terminal. A column that may be cut shrinks first, then whole
// columns are dropped, the least important first; IDs and numbers are never squeezed.
import { widthOf } from './text.js';

export interface TableColumn {
  readonly key: string;
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Set for columns that may be cut in the middle (paths, sources). */
  readonly isCuttable?: boolean;
  /** The columns with the highest number are dropped first when there is no room; those without one stay. */
  readonly dropOrder?: number;
}

export type TableRow = Readonly<Record<string, string | number | undefined>>;

export interface FittedColumn {
  readonly column: TableColumn;
  readonly width: number;
}

export const COLUMN_GAP = 2;
const SHORTEST_CUT = 12;

/** The text of a cell; a dash for an unknown value. */
export function cellText(row: TableRow, { key }: TableColumn): string {
  return String(row[key] ?? '-');
}

/** Chooses columns and widths for a terminal of `width` cells. */
export function fitColumns(rows: readonly TableRow[], columns: readonly TableColumn[], width: number): FittedColumn[] {
  let fitted = columns.map((column) => ({ column, width: Math.min(width, naturalWidth(rows, column)) }));
  while (overflow(shrink(fitted, width, SHORTEST_CUT), width) > 0) {
    const last = leastImportant(fitted);
    // Nothing more may be dropped: cut to the rest of the width rather than break every line.
    if (last === undefined) return shrinkAll(shrink(fitted, width, 1), width);
    fitted = fitted.filter((candidate) => candidate !== last);
  }
  return shrink(fitted, width, SHORTEST_CUT);
}

function naturalWidth(rows: readonly TableRow[], column: TableColumn): number {
  return rows.reduce((widest, row) => Math.max(widest, widthOf(cellText(row, column))), widthOf(column.title));
}

function overflow(fitted: readonly FittedColumn[], width: number): number {
  const gaps = COLUMN_GAP * Math.max(0, fitted.length - 1);
  return fitted.reduce((sum, column) => sum + column.width, gaps) - width;
}

function leastImportant(fitted: readonly FittedColumn[]): FittedColumn | undefined {
  const droppable = fitted.filter(({ column }) => column.dropOrder !== undefined);
  return droppable.toSorted((a, b) => (b.column.dropOrder ?? 0) - (a.column.dropOrder ?? 0))[0];
}

/** Takes the excess from the cuttable columns, always from the widest. */
function shrink(fitted: readonly FittedColumn[], width: number, shortest: number): FittedColumn[] {
  const cuttable = fitted.filter(({ column }) => column.isCuttable);
  return takeFromWidest(fitted, cuttable, overflow(fitted, width), shortest);
}

function shrinkAll(fitted: readonly FittedColumn[], width: number): FittedColumn[] {
  const narrow = takeFromWidest(fitted, fitted, overflow(fitted, width), 1);
  // Too narrow even for one cell each: keep the first columns that fit.
  const count = Math.max(1, Math.floor((width + COLUMN_GAP) / (1 + COLUMN_GAP)));
  return overflow(narrow, width) > 0 ? narrow.slice(0, count) : narrow;
}

function takeFromWidest(
  fitted: readonly FittedColumn[],
  from: readonly FittedColumn[],
  excess: number,
  shortest: number,
): FittedColumn[] {
  const widths = new Map(fitted.map(({ column, width }) => [column, width]));
  const now = ({ column }: FittedColumn): number => widths.get(column) ?? 0;
  for (let left = excess; left > 0; left -= 1) {
    const widest = from.toSorted((a, b) => now(b) - now(a))[0];
    if (widest === undefined || now(widest) <= shortest) break;
    widths.set(widest.column, now(widest) - 1);
  }
  return fitted.map((candidate) => ({ column: candidate.column, width: now(candidate) }));
}
