// Result tables, as wide as the terminal. A column knows its cell, so that rows and columns are written once.
import type { Results, Terminal } from '../../cli/context.js';
import type { TableColumn } from '../../ui/table-columns.js';

const DEFAULT_WIDTH = 80;
/** What is read by programs and pagers is cut nowhere. */
const UNCUT_WIDTH = 400;

export interface Column<T> extends Omit<TableColumn, 'key'> {
  /** What is unknown is a dash. */
  readonly cell: (row: T) => string | number | undefined;
}

export type TableContext = Pick<Terminal, 'stdout'> & Pick<Results, 'json'>;

/** The table as text with a line end; nothing with `--json`, where nobody reads it. */
export async function tableText<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { stdout, json }: TableContext,
): Promise<string> {
  if (json) return '';
  const { renderTable } = await import('../../ui/result-table.js');
  const cells = rows.map((row) => Object.fromEntries(columns.map(({ title, cell }) => [title, cell(row)])));
  const width = stdout.isTTY === true ? (stdout.columns ?? DEFAULT_WIDTH) : UNCUT_WIDTH;
  return `${await renderTable(
    cells,
    columns.map((column) => ({ ...column, key: column.title })),
    width,
  )}\n`;
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
