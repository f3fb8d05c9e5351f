// Uploads of this computer and plans of the store in one table.
import { type ReactElement, useMemo } from 'react';
import type { UploadRow } from '../../../stores/dashboard/upload-list.js';
import type { Column } from '../../../ui/columns.js';
import { FitText } from '../../../ui/fit-text.js';
import { Table } from '../../../ui/table.js';
import { useNames } from '../../use-names.js';
import { cellsOf, fitted } from '../cells.js';
import { useDashboard, useReadMs } from '../dashboard-context.js';
import { type RowCells, rowCells } from './row-cells.js';
import { DoneGauge } from './saved-rows.js';

interface Props {
  readonly rows: readonly UploadRow[];
  readonly cursor: number;
  readonly height: number;
}

/** The rows with their states and figures. */
export function UploadTable({ rows, cursor, height }: Props): ReactElement {
  const { sources, target } = useDashboard();
  const names = useNames();
  const nowMs = useReadMs(sources.uploads);
  const storeUrl = target.url ?? '';
  const columns = useMemo(
    () =>
      columnsOf(
        rows.map((row) => rowCells(row, { storeUrl, nowMs })),
        names,
      ),
    [rows, names, storeUrl, nowMs],
  );
  return <Table count={rows.length} cursor={cursor} columns={columns} height={height} />;
}

function columnsOf(rows: readonly RowCells[], names: (text: string) => string): readonly Column[] {
  const of = cellsOf(rows);
  const right = { align: 'right' } as const;
  const path = { weight: 2, cut: 'middle' } as const;
  return [
    { title: 'UPLOAD', width: 24, priority: 0, cell: of(({ id }) => id) },
    { title: 'STATUS', width: 11, priority: 1, cell: (index, width) => <Status row={rows[index]} width={width} /> },
    { title: 'SOURCE', ...path, min: 10, priority: 2, cell: of(({ source }) => names(source)) },
    { title: 'DESTINATION', ...path, min: 16, priority: 6, cell: of(({ destination }) => names(destination)) },
    fitted(rows, 7, ({ files }) => files, 'FILES'),
    fitted(rows, 3, ({ bytes }) => bytes, 'BYTES'),
    {
      title: 'DONE',
      ...right,
      width: 5,
      weight: 1,
      max: 24,
      min: 5,
      priority: 0,
      cell: (index, width) => <DoneGauge share={rows[index]?.share} width={width} />,
    },
    { title: 'RATE', width: 10, ...right, priority: 5, cell: of(({ rate }) => rate) },
    { title: 'ETA', width: 6, ...right, priority: 4, cell: of(({ left }) => left) },
  ];
}

const Status = ({ row, width }: { readonly row: RowCells | undefined; readonly width: number }): ReactElement => (
  <FitText text={row?.status ?? ''} width={width} tone={row?.tone} />
);
