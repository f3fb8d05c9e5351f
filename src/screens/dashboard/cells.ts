import type { Column } from '../../ui/columns.js';

/** Cells of these rows as text; empty when there is no such row. */
export const cellsOf =
  <T>(rows: readonly T[]) =>
  (text: (row: T) => string) =>
  (index: number): string =>
    rows[index] === undefined ? '' : text(rows[index]);

/** Length of the longest text. */
export const widest = <T>(rows: readonly T[], text: (row: T) => string): number =>
  rows.reduce((most, row) => Math.max(most, text(row).length), 0);

/** A column of numbers as wide as the longest: none is ever cut. */
export const fitted = <T>(rows: readonly T[], priority: number, text: (row: T) => string, title?: string): Column => ({
  ...(title === undefined ? {} : { title }),
  width: Math.max(title?.length ?? 0, widest(rows, text)),
  align: 'right',
  priority,
  cell: cellsOf(rows)(text),
});
