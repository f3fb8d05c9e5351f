// Result tables, as wide as the terminal. A column knows its cell, so that rows and columns are written once.
import { PassThrough } from 'node:stream';
import type { Results, Terminal } from '../../cli/context.js';
import type { TableColumn } from '../../ui/table-columns.js';
import { INDENT, minuteText, ofKnown, textOf } from './lines.js';

const DEFAULT_WIDTH = 80;
/** Width for output to programs and pagers, where nothing is cut. */
const UNCUT_WIDTH = 400;

export interface Column<T> extends Omit<TableColumn, 'key'> {
  /** Returns the cell of a row; undefined is shown as a dash. */
  readonly cell: (row: T) => string | number | undefined;
  /** True for times with an offset from UTC: it goes into the heading if all rows have the same. */
  readonly isMoment?: boolean;
}

export type TableContext = Pick<Terminal, 'stdout'> & Pick<Results<string>, 'json'>;

const widthOf = (stdout: TableContext['stdout']): number =>
  stdout.isTTY === true ? (stdout.columns ?? DEFAULT_WIDTH) : UNCUT_WIDTH;

/** A line with a label (`lines.ts`), or the continuation of one. */
const FACT = new RegExp(`^ {2}.{${INDENT.length - 3}} (?=\\S)`, 'u');

/** Where tables go: to the terminal, or with --output to a file, which has room for all; nothing is written to its stream. */
export const roomFor = (output: string | undefined, { json, stdout }: TableContext): TableContext => ({
  json,
  stdout: output === undefined ? stdout : new PassThrough(),
});

/**
 * Joins the lines, and wraps those that are wider than the terminal, the values of facts below each other; other outputs than a terminal get
 * them as they are. Not for text that is copied, such as JSON and keys.
 */
export async function fitLines(lines: readonly string[], { stdout }: Pick<TableContext, 'stdout'>): Promise<string> {
  const text = textOf(lines);
  if (stdout.isTTY !== true) return text;
  const { wrapped } = await import('../../ui/wrapped.js');
  const width = widthOf(stdout);
  return text
    .split('\n')
    .flatMap((line) => {
      const head = FACT.exec(line)?.[0] ?? /^ */.exec(line)?.[0] ?? '';
      const indent = ' '.repeat(FACT.test(line) ? head.length : head.length + 2);
      const [first = '', ...rest] = wrapped(line.slice(head.length), Math.max(1, width - indent.length));
      return [head + first, ...rest.map((one) => indent + one)];
    })
    .join('\n');
}

/** Formats the table as text with a line end; empty with `--json`, where nobody reads it. */
export async function tableText<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { stdout, json }: TableContext,
): Promise<string> {
  if (json) return '';
  const { renderTable } = await import('../../ui/result-table.js');
  const shown = columns.map((column) => (column.isMoment === true ? offsetOnce(rows, column) : column));
  const cells = rows.map((row) => Object.fromEntries(shown.map(({ title, cell }) => [title, cell(row)])));
  return `${renderTable(
    cells,
    shown.map((column) => ({ ...column, key: column.title })),
    widthOf(stdout),
  )}\n`;
}

const OFFSET = /[+-]\d\d:\d\d$/;

/** Moves the offset from UTC to the heading, if all rows have the same; daylight saving may give them different ones. */
function offsetOnce<T>(rows: readonly T[], column: Column<T>): Column<T> {
  const textOf = (row: T): string => String(column.cell(row) ?? '');
  const [offset, ...others] = new Set(rows.flatMap((row) => OFFSET.exec(textOf(row))?.[0] ?? []));
  if (offset === undefined || others.length > 0) return column;
  const title = `${column.title} (${offset === '+00:00' ? 'UTC' : offset})`;
  return { ...column, title, cell: (row) => textOf(row).replace(OFFSET, '') || undefined };
}

type More<T> = Partial<Pick<Column<T>, 'isCuttable' | 'dropOrder'>>;

/** A column of words. */
export const column = <T>(title: string, cell: Column<T>['cell'], more: More<T> = {}): Column<T> => ({
  title,
  cell,
  ...more,
});

/** A column of numbers. */
export const numbers = <T>(title: string, cell: Column<T>['cell'], more: More<T> = {}): Column<T> => ({
  ...column(title, cell, more),
  align: 'right',
});

/** A column of ISO 8601 times, shown to the minute. */
export const moments = <T>(
  title: string,
  moment: (row: T) => string | null | undefined,
  more: More<T> = {},
): Column<T> => ({
  ...column<T>(title, (row) => ofKnown(moment(row), minuteText), { isCuttable: false, ...more }),
  isMoment: true,
});
