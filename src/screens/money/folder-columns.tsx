// The columns of the view of a folder.
import type { ReactElement } from 'react';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import { markOf, type Marks, type Row } from '../../stores/money/folder-state.js';
import { Bar } from '../../ui/bar.js';
import type { Column } from '../../ui/columns.js';
import { ageText } from '../../ui/format-age.js';
import { formatBytes, formatCount, formatPercent } from '../../ui/format.js';
import { Tint } from '../../ui/theme.js';

interface Source {
  readonly rows: readonly Row[];
  readonly marks: Marks;
  /** Bytes of the folder that is shown. */
  readonly total: number;
  readonly names: (text: string) => string;
}

const SIGNS = { marked: '*', within: '+' } as const;
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Sign, size and bar stand before the name, as people know it from ncdu. */
export function folderColumns({ rows, marks, total, names }: Source): readonly Column[] {
  const of =
    <T,>(cell: (row: Row) => T, none: T) =>
    (at: number): T => {
      const row = rows[at];
      return row === undefined ? none : cell(row);
    };
  return [
    {
      width: 1,
      priority: 0,
      cell: (at): ReactElement | string => {
        const row = rows[at];
        const mark = row && markOf(marks, row.path);
        return mark === undefined ? ' ' : <Tint tone="accent">{SIGNS[mark]}</Tint>;
      },
    },
    { title: 'SIZE', width: 8, align: 'right', priority: 0, cell: of(({ sums }) => formatBytes(sums.bytes), '') },
    {
      title: 'SHARE',
      width: 5,
      align: 'right',
      priority: 1,
      cell: of(({ sums }) => formatPercent(share(sums.bytes, total)), ''),
    },
    {
      width: 10,
      priority: 4,
      cell: (at, width): ReactElement => <Bar share={share(rows[at]?.sums.bytes ?? 0, total)} width={width} />,
    },
    {
      title: 'OLD',
      width: 5,
      align: 'right',
      priority: 2,
      cell: of(({ sums }) => formatPercent(share(sums.oldBytes, sums.bytes)), ''),
    },
    { title: 'NEWEST', width: 6, align: 'right', priority: 3, cell: of(({ sums }) => ageText(sums.newestDays), '') },
    {
      title: 'NAME',
      weight: 1,
      min: 12,
      cut: 'middle',
      priority: 0,
      cell: of(({ name, folder }) => names(`${displayPath(name)}${folder === undefined ? '' : '/'}`), ''),
    },
    {
      title: 'FILES',
      width: 9,
      align: 'right',
      priority: 5,
      cell: of(({ sums, folder }) => (folder === undefined ? '' : formatCount(sums.files)), ''),
    },
  ];
}
