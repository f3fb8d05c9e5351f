// What the views are put together from.
import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import type { Column } from '../../ui/columns.js';
import { formatCount } from '../../ui/format.js';
import { Line } from '../../ui/line.js';
import { Table } from '../../ui/table.js';
import { Tint } from '../../ui/theme.js';
import { useNames } from '../use-names.js';

export interface SectionProps {
  readonly title: string;
  /** Beside the title, on the right. */
  readonly note?: string | undefined;
  /** Why its figures are not from the last refresh. */
  readonly problem?: string | undefined;
  readonly children?: ReactNode;
}

/** A part of a page under its title. What is wrong with it stands beside that, and what was read before stays. */
export function Section({ title, note, problem, children }: SectionProps): ReactElement {
  const names = useNames();
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Line
        left={
          <>
            <Tint tone="strong">{title}</Tint>
            {problem !== undefined && <Tint tone="bad">{`  ${names(problem)}`}</Tint>}
          </>
        }
        right={problem === undefined && note !== undefined ? <Tint tone="dim">{note}</Tint> : undefined}
      />
      {children}
    </Box>
  );
}

/** One sentence in place of figures. */
export const Sentence = ({ children }: { readonly children: string }): ReactElement => (
  <Line left={<Tint tone="dim">{`  ${children}`}</Tint>} />
);

/** Rows for each of several lists in one room: in turn, as long as one wants more. */
export function shareRows(room: number, wanted: readonly number[]): readonly number[] {
  const given = wanted.map(() => 0);
  for (let left = room, before = -1; left > 0 && left !== before;) {
    before = left;
    for (const [at, want] of wanted.entries()) {
      if (left === 0 || (given[at] ?? 0) >= want) continue;
      given[at] = (given[at] ?? 0) + 1;
      left -= 1;
    }
  }
  return given;
}

export interface FirstRowsProps {
  readonly rows: number;
  readonly count: number;
  /** Where all of them are. */
  readonly where: string;
  readonly columns: readonly Column[];
}

/** The first rows of a table, and how many more there are. */
export function FirstRows({ rows, count, where, columns }: FirstRowsProps): ReactElement {
  const shown = count > rows ? Math.max(0, rows - 1) : count;
  return (
    <>
      {shown > 0 && <Table count={shown} cursor={-1} columns={columns} height={shown} indent={2} />}
      {count > shown && rows > 0 && <Sentence>{`and ${formatCount(count - shown)} more; ${where}`}</Sentence>}
    </>
  );
}
