// A result table of a plain command, as the tables of the screens look. Text alone: a command that shows no screen loads no Ink.
import { GAP } from './columns.js';
import { cellText, fitColumns, type FittedColumn, type TableColumn, type TableRow } from './table-columns.js';
import { fit } from './text.js';
import { wrapped } from './wrapped.js';

/**
 * A result table as text, at most `width` columns wide; below it, which columns have no room. Every cell must be printable text on one
 * line.
 */
export function renderTable(rows: readonly TableRow[], columns: readonly TableColumn[], width: number): string {
  const { shown, gone } = fitColumns(rows, columns, width);
  const line = (cell: (fitted: FittedColumn) => string): string => shown.map(cell).join(' '.repeat(GAP)).trimEnd();
  return [
    line(({ column: { title, align }, width }) => fit(title, width, align)),
    ...rows.map((row) => line(({ column, width }) => fit(cellText(row, column), width, column.align, 'middle'))),
    ...goneLines(gone, width),
  ].join('\n');
}

const goneLines = (gone: readonly TableColumn[], width: number): readonly string[] =>
  gone.length === 0
    ? []
    : wrapped(`no room for ${gone.map(({ title }) => title).join(', ')}: widen the terminal, or --json`, width);
