import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import { displayPath, TOP } from '../../core/platform/paths/raw-path.js';
import { type FolderRow, largestBelow, type SizedChild } from '../../stores/browse/tree.js';
import { Bar } from '../../ui/bar.js';
import type { Column } from '../../ui/columns.js';
import { formatBytes } from '../../ui/format.js';
import { Room, useSize } from '../../ui/size.js';
import { Table } from '../../ui/table.js';
import { Tint } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import { useBrowse } from './browse-context.js';

const MOST = 12;

/** The largest items in a folder. */
export function LargestBelow({ folder, rows }: { readonly folder: FolderRow; readonly rows: number }): ReactElement {
  const { columns: width } = useSize();
  const listing = useBrowse((state) => state.opened.listing);
  const visible = useBrowse((state) => state.visible);
  const names = useNames();
  const length = Math.min(MOST, rows - 2);
  const largest = useMemo(() => largestBelow({ listing, visible }, folder, length), [listing, visible, folder, length]);
  const columns = useMemo(
    () => columnsOf(largest, Math.max(1, listing.sum(folder.below).bytes), names),
    [listing, folder, largest, names],
  );
  return (
    <Box flexDirection="column" paddingTop={1}>
      <Tint tone="dim">{' largest'}</Tint>
      <Room columns={width} rows={largest.length}>
        <Table count={largest.length} cursor={-1} columns={columns} />
      </Room>
    </Box>
  );
}

const columnsOf = (
  largest: readonly SizedChild[],
  bytes: number,
  names: (text: string) => string,
): readonly Column[] => [
  {
    weight: 1,
    min: 12,
    max: 40,
    priority: 0,
    cut: 'middle',
    cell: (at) => names(displayPath(largest[at]?.name ?? TOP)),
  },
  { width: 8, priority: 0, align: 'right', cell: (at) => formatBytes(largest[at]?.bytes ?? 0) },
  { width: 10, priority: 1, cell: (at, room) => <Bar share={(largest[at]?.bytes ?? 0) / bytes} width={room} /> },
];
