// Uploads of this computer that run or can be continued, and details of the one under the cursor.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import { savedStatus } from '../../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import { uploadUrlOf } from '../../../core/store/ids/upload-id.js';
import { listModel } from '../../../stores/dashboard/view-model.js';
import type { Column } from '../../../ui/columns.js';
import { Empty } from '../../../ui/empty.js';
import { formatQuantity } from '../../../ui/format.js';
import { useSize } from '../../../ui/size.js';
import { Table } from '../../../ui/table.js';
import { Tint } from '../../../ui/theme.js';
import { useNames } from '../../use-names.js';
import { cellsOf, fitted } from '../cells.js';
import { type Dashboard, rowAtCursor, useDashboard, useReadMs, useRows, useSource } from '../dashboard-context.js';
import { SavedDetails } from '../saved-details.js';
import {
  bytesText,
  byStatus,
  DoneGauge,
  filesText,
  isRunning,
  leftText,
  rateText,
  shareDone,
  STATUS_TONES,
  uploadDocuments,
} from '../upload-rows.js';
import type { DashboardView } from '../view.js';

/** Facts below the list, including the rows of their title and the gap above it. */
const SHORT_FACTS = 6;
const LEAST_LIST = 5;

const NONE: readonly FoundState[] = [];
const doneOf = (upload: FoundState): number => shareDone(upload) ?? -1;

const LIST = listModel<FoundState>({
  items: ({ uploads }) => uploads.getState().value?.uploads ?? NONE,
  text: ({ id, document, ...one }) =>
    [id, savedStatus({ document, ...one }), document?.sources.join(' '), document?.destination].join(' '),
  sorts: [
    ['status', byStatus],
    ['newest', (one, other) => (one.id < other.id ? 1 : -1)],
    ['source', (one, other) => sourceOf(one).localeCompare(sourceOf(other), 'en')],
    ['done', (one, other) => doneOf(other) - doneOf(one)],
  ],
});

/** The sources of an upload, or the reason why they are not known. */
const sourceOf = ({ document, problem }: FoundState): string => document?.sources.join(' ') ?? problem?.message ?? '';

function Uploads(): ReactElement {
  const { sources } = useDashboard();
  const { rows: room } = useSize();
  const { value, problem } = useSource(sources.uploads);
  const { rows, cursor, place } = useRows(LIST);
  const upload = rows[cursor];
  if (value === undefined) return <Empty sentence={problem ?? 'reading'} next="" />;
  if (rows.length === 0)
    return <NoUploads folder={value.folder} isFiltered={value.uploads.length > 0} problem={problem} />;
  if (place.isOpen && upload !== undefined) return <SavedDetails upload={upload} rows={room} isLarge />;
  const below = room - SHORT_FACTS >= LEAST_LIST ? SHORT_FACTS : 0;
  const list = Math.min(rows.length + 1, room - below);
  return (
    <Box flexDirection="column">
      <UploadTable rows={rows} cursor={cursor} height={list} />
      {upload !== undefined && room - list > 2 && (
        <Box paddingTop={1}>
          <SavedDetails upload={upload} rows={room - list - 1} />
        </Box>
      )}
    </Box>
  );
}

function NoUploads({
  folder,
  isFiltered,
  problem,
}: {
  folder: string;
  isFiltered: boolean;
  problem: string | undefined;
}): ReactElement {
  const names = useNames();
  if (isFiltered) return <Empty sentence="No upload matches." next="esc clears the filter." />;
  return (
    <Empty
      sentence={problem ?? 'No upload is running on this computer, and none was interrupted.'}
      next={`While archiver upload, sync or create upload runs, it is noted in ${names(folder)}.`}
    />
  );
}

function UploadTable({
  rows,
  cursor,
  height,
}: {
  rows: readonly FoundState[];
  cursor: number;
  height: number;
}): ReactElement {
  const { sources } = useDashboard();
  const names = useNames();
  const nowMs = useReadMs(sources.uploads);
  const columns = useMemo(() => columnsOf(rows, names, nowMs), [rows, names, nowMs]);
  return <Table count={rows.length} cursor={cursor} columns={columns} height={height} />;
}

function columnsOf(rows: readonly FoundState[], names: (text: string) => string, nowMs: number): readonly Column[] {
  const of = cellsOf(rows);
  return [
    { title: 'UPLOAD', width: 24, priority: 0, cell: of(({ id }) => id) },
    { title: 'STATUS', width: 11, priority: 1, cell: (index, width) => <Status upload={rows[index]} width={width} /> },
    {
      title: 'SOURCE',
      weight: 2,
      min: 10,
      cut: 'middle',
      priority: 2,
      cell: of((one) => names(sourceOf(one))),
    },
    {
      title: 'DESTINATION',
      weight: 2,
      min: 16,
      cut: 'middle',
      priority: 6,
      cell: of(({ document }) => names(document?.destination ?? '')),
    },
    fitted(rows, 7, filesText, 'FILES'),
    fitted(rows, 3, bytesText, 'BYTES'),
    {
      title: 'DONE',
      align: 'right',
      width: 5,
      weight: 1,
      max: 24,
      min: 5,
      priority: 0,
      cell: (index, width) => <DoneGauge upload={rows[index]} width={width} />,
    },
    {
      title: 'RATE',
      width: 10,
      align: 'right',
      priority: 5,
      cell: of((one) => (one.holder === undefined ? '-' : rateText(one, nowMs))),
    },
    { title: 'ETA', width: 6, align: 'right', priority: 4, cell: of((one) => leftText(one, nowMs)) },
  ];
}

function Status({ upload, width }: { readonly upload: FoundState | undefined; readonly width: number }): ReactElement {
  const status = upload && savedStatus(upload);
  return <Tint tone={status && STATUS_TONES[status]}>{(status ?? '').padEnd(width)}</Tint>;
}

function summary(dashboard: Dashboard): ReturnType<DashboardView['summary']> {
  const all = dashboard.sources.uploads.getState();
  if (all.problem !== undefined) return { text: all.problem, tone: 'bad' };
  const uploads = all.value?.uploads ?? [];
  const upload = rowAtCursor(LIST, dashboard);
  if (upload !== undefined && savedStatus(upload) === 'interrupted')
    return { text: `Continue it with: archiver resume ${upload.id}` };
  const damaged = uploads.filter(({ document }) => document === undefined).length;
  if (damaged > 0)
    return {
      text: `${formatQuantity(damaged, 'state file')} cannot be read; archiver resume clean removes them`,
      tone: 'warn',
    };
  return { text: `${formatQuantity(uploads.filter(({ holder }) => holder !== undefined).length, 'upload')} running` };
}

export const uploadsView: DashboardView = {
  id: 'uploads',
  title: 'Uploads',
  reads: ({ uploads }) => [uploads],
  live: ({ uploads }) => (isRunning(uploads) ? [uploads] : []),
  list: LIST,
  View: Uploads,
  summary,
  browsable(dashboard) {
    const document = rowAtCursor(LIST, dashboard)?.document;
    if (document === undefined) return { refusal: 'there is nothing to browse' };
    const { status, storeUrl, uploadIds, uploadId, endpoint } = document;
    if (status !== 'complete') return { refusal: `it has no manifest yet: archiver resume ${uploadId} completes it` };
    return { url: uploadUrlOf(storeUrl, uploadIds.at(-1) ?? uploadId), endpointUrl: endpoint };
  },
  toJson: ({ sources }) => ({ uploads: uploadDocuments(sources), folder: sources.uploads.getState().value?.folder }),
};
