import type { ReactElement } from 'react';
import { Box } from 'ink';
import type { Column } from './columns.js';
import { Room, useSize } from './size.js';
import { Table } from './table.js';

/** The next option that can be chosen, round the end; the same one when there is no other. */
export function nextEnabled(count: number, from: number, step: 1 | -1, isDisabled: (at: number) => boolean): number {
  for (let tried = 1; tried <= count; tried++) {
    const at = (from + step * tried + count * tried) % count;
    if (!isDisabled(at)) return at;
  }
  return from;
}

/** A choice among a few rows, set in by `inset`. What cannot be chosen stays visible, dim. */
export function Picker({
  count,
  chosen,
  columns,
  inset = 2,
}: {
  count: number;
  chosen: number;
  columns: readonly Column[];
  inset?: number;
}): ReactElement {
  return (
    <Box paddingLeft={inset}>
      <Room columns={useSize().columns - inset * 2} rows={count + 1}>
        <Table count={count} cursor={chosen} columns={columns} indent={1} />
      </Room>
    </Box>
  );
}
