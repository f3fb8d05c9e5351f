// Uploads of this computer that run or were interrupted, for the overview.
import { type ReactElement, useMemo } from 'react';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import { savedShare } from '../../../stores/dashboard/upload-list.js';
import type { Column } from '../../../ui/columns.js';
import { formatCount } from '../../../ui/format.js';
import { useNames } from '../../use-names.js';
import { cellsOf } from '../cells.js';
import { type ReadSource, useDashboard, useReadMs } from '../dashboard-context.js';
import { FirstRows, moreText, Section, Sentence } from '../panels.js';
import { DoneGauge, leftText, rateText } from './saved-rows.js';

interface Props {
  readonly read: ReadSource<unknown>;
  readonly uploads: readonly FoundState[];
  readonly rows: number;
}

/** Their number, and the first of them. */
export function UploadsSection({ read: { value, problem }, uploads, rows }: Props): ReactElement {
  const { length: count } = uploads;
  return (
    <Section
      title={`UPLOADS IN PROGRESS${count === 0 ? '' : `  ${formatCount(count)}`}`}
      note={moreText(rows, count, count, 3)}
      problem={problem}
    >
      <UploadRows uploads={uploads} rows={rows} isRead={value !== undefined} />
    </Section>
  );
}

function UploadRows({
  uploads,
  rows,
  isRead,
}: Pick<Props, 'uploads' | 'rows'> & { readonly isRead: boolean }): ReactElement | null {
  const { sources } = useDashboard();
  const names = useNames();
  const nowMs = useReadMs(sources.uploads);
  const columns = useMemo(() => uploadColumns(uploads, names, nowMs), [uploads, names, nowMs]);
  if (rows === 0) return null;
  if (!isRead) return <Sentence>not read yet</Sentence>;
  if (uploads.length === 0) return <Sentence>none is running here, and none was interrupted</Sentence>;
  return <FirstRows rows={rows} count={uploads.length} columns={columns} />;
}

function uploadColumns(
  uploads: readonly FoundState[],
  names: (text: string) => string,
  nowMs: number,
): readonly Column[] {
  const of = cellsOf(uploads);
  return [
    { width: 24, priority: 0, cell: of(({ id }) => id) },
    {
      weight: 2,
      min: 12,
      cut: 'middle',
      priority: 1,
      cell: of(({ document }) => names(document?.sources.join(' ') ?? '')),
    },
    {
      weight: 3,
      min: 9,
      max: 40,
      priority: 0,
      cell: (index, room) => <DoneGauge share={uploads[index] && savedShare(uploads[index])} width={room} />,
    },
    { width: 11, align: 'right', priority: 1, cell: of((upload) => rateText(upload, nowMs)) },
    { width: 6, align: 'right', priority: 2, cell: of((upload) => leftText(upload, nowMs)) },
  ];
}
