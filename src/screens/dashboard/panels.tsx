// Building blocks of the views.
import { Box } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import type { Column } from '../../ui/columns.js';
import { formatCount } from '../../ui/format.js';
import { Line } from '../../ui/line.js';
import { Table } from '../../ui/table.js';
import { useSize } from '../../ui/size.js';
import { cut } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { useNames } from '../use-names.js';

export interface SectionProps {
  readonly title: string;
  /** Text on the right of the title. */
  readonly note?: string | undefined;
  /** The reason why its figures are not from the last refresh. */
  readonly problem?: string | undefined;
  readonly children?: ReactNode;
}

/** A part of a page under its title. A problem is shown beside the title, and earlier data stays. */
export function Section({ title, note, problem, children }: SectionProps): ReactElement {
  const names = useNames();
  const { columns } = useSize();
  const { ellipsis } = useTheme().glyphs;
  const trouble = problem && cut(names(problem), columns - title.length - 4, 'end', ellipsis);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Line
        left={
          <>
            <Tint tone="strong">{title}</Tint>
            {trouble && <Tint tone="bad">{`  ${trouble}`}</Tint>}
          </>
        }
        right={trouble === undefined && note !== undefined ? <Tint tone="dim">{note}</Tint> : undefined}
      />
      {children}
    </Box>
  );
}

/** One sentence instead of figures. */
export function Sentence({ children }: { readonly children: string }): ReactElement {
  const { columns } = useSize();
  const { ellipsis } = useTheme().glyphs;
  return <Line left={<Tint tone="dim">{`  ${cut(children, columns - 4, 'end', ellipsis)}`}</Tint>} />;
}

/** Distributes rows among several lists, in turn, as long as one wants more. */
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
  readonly columns: readonly Column[];
}

/** The first rows of a table, without a cursor. */
export function FirstRows({ rows, count, columns }: FirstRowsProps): ReactElement | null {
  const shown = Math.min(rows, count);
  return shown > 0 ? <Table count={shown} cursor={-1} columns={columns} height={shown} indent={2} /> : null;
}

/** A note when not all rows fit, with the view that has all: `3 shows all 500`. */
export const moreText = (rows: number, wanted: number, count: number, view: number): string | undefined =>
  rows >= wanted ? undefined : `${view} shows all ${formatCount(count)}`;
