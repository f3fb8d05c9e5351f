// The only file that knows ink-table. It is CommonJS and requires Ink, which is an ES module with top-level await and so
// cannot be required: the loader puts the imported Ink into the CommonJS cache for as long as ink-table loads.
// ink-table counts characters and draws a box; here cells are measured in terminal cells and stand in plain columns.
import Module, { createRequire } from 'node:module';
import type { ComponentType, ReactElement } from 'react';
import { cellText, COLUMN_GAP, fitCell, fitColumns, type TableColumn, type TableRow } from './table-columns.js';
import { padEnd } from './text-width.js';

interface CellProps {
  /** Missing on the box's corners and crossings. */
  readonly column?: number;
  readonly children?: string;
}

interface InkTableProps {
  readonly data: readonly Readonly<Record<string, string>>[];
  readonly columns: readonly string[];
  readonly header: ComponentType<CellProps>;
  readonly cell: ComponentType<CellProps>;
  readonly skeleton: ComponentType<CellProps>;
}

export interface RenderTableOptions {
  /** Cells of the terminal; choose 80 where the output is not one. */
  readonly width: number;
  readonly ellipsis?: string;
}

/** A short result table as text, fitted to the width. Every cell has to be printable text on one line. */
export async function renderTable(
  rows: readonly TableRow[],
  columns: readonly TableColumn[],
  { width, ellipsis = '…' }: RenderTableOptions,
): Promise<string> {
  // Here and not above, so that a command that prints no table does not load Ink.
  const ink = await import('ink');
  const Table = loadInkTable(ink);
  const fitted = fitColumns(rows, columns, width);
  const titles = fitted.map((column) => fitCell(column.column.title, column, ellipsis));
  const data = rows.map((row) =>
    Object.fromEntries(
      fitted.map((column) => [column.column.key, fitCell(cellText(row, column.column), column, ellipsis)]),
    ),
  );
  const gap = (column: number): string => (column === 0 ? '' : ' '.repeat(COLUMN_GAP));
  const Header = ({ column = 0 }: CellProps): ReactElement => (
    <ink.Text>{gap(column) + (titles[column] ?? '')}</ink.Text>
  );
  const Cell = ({ column = 0, children = '' }: CellProps): ReactElement => (
    <ink.Text>{gap(column) + padEnd(withoutPadding(children), fitted[column]?.width ?? 0)}</ink.Text>
  );
  const keys = fitted.map(({ column }) => column.key);
  const table = <Table data={data} columns={keys} header={Header} cell={Cell} skeleton={Nothing} />;
  return ink.renderToString(table, { columns: width });
}

/** A cell as it was handed in: ink-table puts one space before it and at least one, by its own count, behind. */
const withoutPadding = (padded: string): string => padded.slice(1).trimEnd();

const Nothing = (): null => null;

function loadInkTable(ink: typeof import('ink')): ComponentType<InkTableProps> {
  const require = createRequire(import.meta.url);
  const inkPath = createRequire(require.resolve('ink-table')).resolve('ink');
  const stand = new Module(inkPath);
  stand.exports = ink;
  stand.loaded = true;
  const before = require.cache[inkPath];
  require.cache[inkPath] = stand;
  try {
    const loaded: { readonly default: ComponentType<InkTableProps> } = require('ink-table');
    return loaded.default;
  } finally {
    if (before === undefined) delete require.cache[inkPath];
    else require.cache[inkPath] = before;
  }
}
