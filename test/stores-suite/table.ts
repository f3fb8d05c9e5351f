// The table of a run: scenarios below each other, servers side by side.
import type { Outcome, Verdict } from './scenario.js';

export interface Column {
  readonly name: string;
  /** By the names of scenarios. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

const MARKS: Readonly<Record<Verdict, string>> = {
  holds: '✓',
  'says so': 'cannot, and says so',
  fails: '✗',
  fault: '✗ (fault of the server)',
};
const SHORT = new Map([
  [MARKS['says so'], '– says so'],
  [MARKS.fault, '✗ its own'],
]);
const BEGIN = '<!-- stores-table -->';
const END = '<!-- /stores-table -->';

/** Rows of cells, the first one with the names of the servers. */
export function tableOf(scenarios: readonly string[], columns: readonly Column[]): readonly (readonly string[])[] {
  const mark = ({ outcomes }: Column, name: string): string => {
    const outcome = outcomes.get(name);
    return outcome === undefined ? '' : MARKS[outcome.verdict];
  };
  const head = ['', ...columns.map(({ name }) => name)];
  return [head, ...scenarios.map((name) => [name, ...columns.map((column) => mark(column, name))])];
}

/** For people: columns of equal width, with what takes space in a short form. */
export function asText(rows: readonly (readonly string[])[]): string {
  const short = rows.map((row) => row.map((cell) => SHORT.get(cell) ?? cell));
  const widths = (short[0] ?? []).map((_, at) => Math.max(...short.map((row) => row[at]?.length ?? 0)));
  return short
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** As Markdown. */
export function asMarkdown(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = [], ...rest] = rows;
  const code = (name = ''): string => name.replaceAll('|', '\\|');
  return [
    line(head),
    line(head.map(() => '---')),
    ...rest.map(([name, ...cells]) => line([code(name), ...cells])),
  ].join('\n');
}

/** The document with another table between its marks; a new one has nothing else. @throws where only one mark is there */
export function withTable(document: string | undefined, table: string): string {
  const between = `${BEGIN}\n${table}\n${END}`;
  if (document === undefined) return `${between}\n`;
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the document has no ${BEGIN} before ${END}`);
  return `${document.slice(0, begin)}${between}${document.slice(end + END.length)}`;
}

/** What is counted: cells that hold or say so, cells that do not, and servers that could not be started or have a fault of their own. */
export function sumOf(columns: readonly Column[], skipped: number): { readonly text: string; readonly failed: number } {
  const all = columns.flatMap(({ outcomes }) => [...outcomes.values()]);
  const failed = all.filter(({ verdict }) => verdict === 'fails').length;
  const faults = all.filter(({ verdict }) => verdict === 'fault').length;
  const left = skipped + faults === 0 ? '' : `, ${skipped + faults} skipped`;
  return { text: `${all.length - failed - faults} passed, ${failed} failed${left}`, failed };
}
