// A result table of a plain command: the same `Table` as on the screens, printed once.
import { cellText, fitColumns, type TableColumn, type TableRow } from './table-columns.js';

/** A short result table as text, at most `width` columns of the terminal wide. Every cell has to be printable text on one line. */
export async function renderTable(
  rows: readonly TableRow[],
  columns: readonly TableColumn[],
  width: number,
): Promise<string> {
  // Here and not above, so that a command that prints no table does not load Ink.
  const [{ renderToString }, { Table }, { fixedSize, TerminalSize }, { makeTheme, ThemeContext }] = await Promise.all([
    import('ink'),
    import('./table.js'),
    import('./size.js'),
    import('./theme.js'),
  ]);
  const shown = fitColumns(rows, columns, width).map(({ column, width }) => ({
    title: column.title,
    width,
    ...(column.align === undefined ? {} : { align: column.align }),
    cut: 'middle' as const,
    priority: 0,
    cell: (index: number) => cellText(rows[index] ?? {}, column),
  }));
  const table = (
    <ThemeContext value={makeTheme({ unicode: true, color: false })}>
      <TerminalSize source={fixedSize(width, rows.length + 1)}>
        <Table count={rows.length} cursor={-1} columns={shown} hasPointer={false} />
      </TerminalSize>
    </ThemeContext>
  );
  return renderToString(table, { columns: width });
}
