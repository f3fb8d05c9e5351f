import type { ReactElement } from 'react';
import { Box } from 'ink';
import type { Column } from './columns.js';
import { Room, useSize } from './size.js';
import { Table } from './table.js';

const INSET = 2;

interface PickerProps {
  readonly count: number;
  readonly chosen: number;
  readonly columns: readonly Column[];
  /** Number of rows it may take; as many as it needs when not given. */
  readonly rows?: number;
}

/** A choice among a few rows, indented. Rows that cannot be chosen stay visible, dim. */
export function Picker({ count, chosen, columns, rows = count + 1 }: PickerProps): ReactElement {
  return (
    <Box paddingLeft={INSET}>
      <Room columns={useSize().columns - INSET * 2} rows={Math.min(rows, count + 1)}>
        <Table count={count} cursor={chosen} columns={columns} indent={1} />
      </Room>
    </Box>
  );
}
