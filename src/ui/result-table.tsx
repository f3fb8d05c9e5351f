// A result table of a plain command: the same `Table` as on the screens, printed once.
import { cellText, fitColumns, type TableColumn, type TableRow } from './table-columns.js';
import { wrapped } from './wrapped.js';

/** Rows drawn at a time: Ink takes 50 KB for a row of eight cells while it draws. */
const PAGE_ROWS = 500;

/**
 * A result table as text, at most `width` columns wide; below it, which columns have no room. Every cell must be printable text on one
 * line.
 */
export async function renderTable(
  rows: readonly TableRow[],
  columns: readonly TableColumn[],
  width: number,
): Promise<string> {
  // Imported here, so that a command that prints no table does not load Ink.
  const [{ renderToString }, { Table }, { fixedSize, TerminalSize }, { makeTheme, ThemeContext }] = await Promise.all([
    import('ink'),
    import('./table.js'),
    import('./size.js'),
    import('./theme.js'),
  ]);
  const fitted = fitColumns(rows, columns, width);
  const shown = fitted.shown.map(({ column, width }) => ({
    width,
    ...(column.align === undefined ? {} : { align: column.align }),
    cut: 'middle' as const,
    priority: 0,
    column,
  }));
  const page = (first: number): string => {
    const own = rows.slice(first, first + PAGE_ROWS);
    const cells = shown.map(({ column, ...place }) => ({
      ...place,
      ...(first === 0 ? { title: column.title } : {}),
      cell: (index: number) => cellText(own[index] ?? {}, column),
    }));
    const table = (
      <ThemeContext value={makeTheme({ unicode: true, color: false })}>
        <TerminalSize source={fixedSize(width, own.length + (first === 0 ? 1 : 0))}>
          <Table count={own.length} cursor={-1} columns={cells} hasPointer={false} />
        </TerminalSize>
      </ThemeContext>
    );
    return renderToString(table, { columns: width });
  };
  const pages = Array.from({ length: Math.max(1, Math.ceil(rows.length / PAGE_ROWS)) }, (_, at) =>
    page(at * PAGE_ROWS),
  );
  return [...pages, ...goneLines(fitted.gone, width)].join('\n');
}

const goneLines = (gone: readonly TableColumn[], width: number): readonly string[] =>
  gone.length === 0
    ? []
    : wrapped(`no room for ${gone.map(({ title }) => title).join(', ')}: widen the terminal, or --json`, width);
