// A result table of a plain command: the same `Table` as on the screens, printed once.
import { cellText, fitCell, fitColumns, type TableColumn, type TableRow } from './table-columns.js';

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
  const [{ renderToString }, { Table }, { fixedSize, TerminalSize }] = await Promise.all([
    import('ink'),
    import('./table.js'),
    import('./size.js'),
  ]);
  const shown = fitColumns(rows, columns, width).map((fitted) => ({
    title: fitCell(fitted.column.title, fitted, ellipsis),
    width: fitted.width,
    priority: 0,
    cell: (index: number) => fitCell(cellText(rows[index] ?? {}, fitted.column), fitted, ellipsis),
  }));
  const table = (
    <TerminalSize source={fixedSize(width, rows.length + 1)}>
      <Table count={rows.length} cursor={-1} columns={shown} hasPointer={false} />
    </TerminalSize>
  );
  return renderToString(table, { columns: width });
}
