// Result tables of the dataset commands, as wide as the terminal.
import type { Context } from '../../cli/context.js';
import type { TableColumn, TableRow } from '../../ui/table-columns.js';

const DEFAULT_WIDTH = 80;
/** What is read by programs and pagers is cut nowhere. */
const UNCUT_WIDTH = 400;

/** The table as text with a line end. */
export async function printTable(
  rows: readonly TableRow[],
  columns: readonly TableColumn[],
  context: Pick<Context, 'stdout'>,
): Promise<string> {
  const { renderTable } = await import('../../ui/result-table.js');
  const { isTTY, columns: terminal } = context.stdout;
  return `${await renderTable(rows, columns, { width: isTTY === true ? (terminal ?? DEFAULT_WIDTH) : UNCUT_WIDTH })}\n`;
}
