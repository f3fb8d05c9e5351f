// Costs, budgets and running uploads: a bit of every source, without a cursor.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { FoundState } from '../../../core/archive/resume/state-folder.js';
import { savedStatus } from '../../../core/archive/resume/describe-state.js';
import type { SpentGroup } from '../../../core/money/ledger/report.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import type { FleetRead } from '../../../stores/dashboard/store-sources.js';
import type { Column } from '../../../ui/columns.js';
import { formatCount } from '../../../ui/format.js';
import { useSize, WIDE_COLUMNS } from '../../../ui/size.js';
import { Tint, useTheme } from '../../../ui/theme.js';
import { useNames } from '../../use-names.js';
import {
  amountColumns,
  byShare,
  type BudgetLine,
  leftText as budgetLeftText,
  linesOf,
  nameOf,
  warningOf,
  warningText,
  worstText,
} from '../budget-lines.js';
import {
  type Dashboard,
  type ReadSource,
  useDashboard,
  useReadMs,
  useSource,
  useStoreSources,
} from '../dashboard-context.js';
import { UsageGauge } from '../usage-gauge.js';
import { cellsOf, fitted } from '../cells.js';
import { FleetSection, rowsWanted } from '../fleet-rows.js';
import { FirstRows, moreText, Section, Sentence, shareRows } from '../panels.js';
import { ClassRows, spendDocument, SpendRows } from '../spend-rows.js';
import { byStatus, DoneGauge, isRunning, leftText, rateText, uploadDocuments } from '../upload-rows.js';
import type { DashboardView } from '../view.js';

/** When printed once, it sends no requests for the fleet. */
function Overview(): ReactElement {
  const { sources, isPrinted } = useDashboard();
  return sources.store === undefined || isPrinted === true ? <Parts /> : <WithFleet />;
}

const WithFleet = (): ReactElement => <Parts fleet={useSource(useStoreSources().fleet)} />;

function Parts({ fleet }: { readonly fleet?: ReadSource<FleetRead> }): ReactElement {
  const { sources } = useDashboard();
  const { columns, rows } = useSize();
  const spend = useSource(sources.spend);
  const budgets = useSource(sources.budgets);
  const uploads = useSource(sources.uploads);
  const lines = useMemo(() => (budgets.value?.budgets ?? []).toSorted(byShare).flatMap(linesOf), [budgets.value]);
  const open = useMemo(() => openUploads(uploads.value?.uploads ?? []), [uploads.value]);
  const groups = (columns >= WIDE_COLUMNS ? spend.value?.classes : undefined) ?? NO_GROUPS;
  const fleetWanted = columns >= WIDE_COLUMNS ? rowsWanted(fleet) : 0;
  const spendRows = rows < 12 ? 1 : 2;
  // Each part has a title and, except for the last, an empty row below it.
  const fixed = spendRows + 2 + 2 + 1 + 2 * [groups.length, fleetWanted].filter((wanted) => wanted > 0).length;
  const [budgetRows = 1, uploadRows = 1, classRows = 0, fleetRows = 0] = shareRows(rows - fixed, [
    Math.max(1, lines.length),
    Math.max(1, open.length),
    groups.length,
    fleetWanted,
  ]);
  return (
    <Box flexDirection="column" rowGap={1}>
      <Section title="SPEND THIS MONTH" problem={spend.problem}>
        <SpendRows spend={spend.value} rows={spendRows} />
      </Section>
      <Section
        title="BUDGETS"
        note={moreText(budgetRows, lines.length, budgets.value?.budgets.length ?? 0, 2)}
        problem={budgets.problem}
      >
        <BudgetRows lines={lines} rows={budgetRows} isRead={budgets.value !== undefined} />
      </Section>
      <Section
        title={`UPLOADS IN PROGRESS${open.length === 0 ? '' : `  ${formatCount(open.length)}`}`}
        note={moreText(uploadRows, open.length, open.length, 3)}
        problem={uploads.problem}
      >
        <UploadRows uploads={open} rows={uploadRows} isRead={uploads.value !== undefined} />
      </Section>
      {classRows > 0 && (
        <Section title="STORAGE CLASSES">
          <ClassRows groups={groups} rows={classRows} />
        </Section>
      )}
      <FleetSection fleet={fleet} rows={fleetRows} />
    </Box>
  );
}

const NO_GROUPS: readonly SpentGroup[] = [];

const openUploads = (uploads: readonly FoundState[]): readonly FoundState[] =>
  uploads.filter((upload) => savedStatus(upload) !== 'complete').toSorted(byStatus);

interface ListProps {
  readonly rows: number;
  /** False until the source was read for the first time. */
  readonly isRead: boolean;
}

function BudgetRows({ lines, rows, isRead }: ListProps & { readonly lines: readonly BudgetLine[] }): ReactElement {
  const names = useNames();
  const { glyphs } = useTheme();
  const { columns: width } = useSize();
  const columns = useMemo(() => budgetColumns(lines, names, glyphs, width), [lines, names, glyphs, width]);
  if (!isRead) return <Sentence>not read yet</Sentence>;
  if (lines.length === 0) return <Sentence>none is set: archiver budget set PROJECT --cost USD</Sentence>;
  return <FirstRows rows={rows} count={lines.length} columns={columns} />;
}

function budgetColumns(
  lines: readonly BudgetLine[],
  names: (text: string) => string,
  glyphs: Parameters<typeof warningText>[1],
  width: number,
): readonly Column[] {
  const at = (index: number): BudgetLine | undefined => lines[index];
  return [
    {
      weight: 1,
      min: 14,
      max: 30,
      cut: 'middle',
      priority: 0,
      cell: (index) => {
        const line = at(index);
        if (line === undefined) return '';
        return line.kind === 'volume' && lines[index - 1]?.status === line.status
          ? '  volume'
          : names(nameOf(line.status));
      },
    },
    {
      weight: 3,
      min: 9,
      max: 45,
      priority: 0,
      cell: (index, room) => <UsageGauge usage={at(index)?.usage} width={room} />,
    },
    ...amountColumns(lines),
    ...(width < WIDE_COLUMNS ? [] : [fitted(lines, 3, budgetLeftText)]),
    {
      width: 11,
      priority: 2,
      cell: (index, room) => {
        const line = at(index);
        const text = line === undefined ? '' : warningText(line, glyphs);
        return <Tint tone={line && warningOf(line)?.tone}>{text.padEnd(room)}</Tint>;
      },
    },
  ];
}

function UploadRows({ uploads, rows, isRead }: ListProps & { readonly uploads: readonly FoundState[] }): ReactElement {
  const { sources } = useDashboard();
  const names = useNames();
  const nowMs = useReadMs(sources.uploads);
  const columns = useMemo(() => uploadColumns(uploads, names, nowMs), [uploads, names, nowMs]);
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
      cell: (index, room) => <DoneGauge upload={uploads[index]} width={room} />,
    },
    { width: 11, align: 'right', priority: 1, cell: of(rateText) },
    { width: 6, align: 'right', priority: 2, cell: of((upload) => leftText(upload, nowMs)) },
  ];
}

/** The state of everything in one sentence: problems first. */
function summary({ sources }: Dashboard): ReturnType<DashboardView['summary']> {
  const { spend, budgets: limits, uploads } = sources;
  const problem = [spend, limits, uploads]
    .map((source) => source.getState().problem)
    .find((text) => text !== undefined);
  if (problem !== undefined) return { text: problem, tone: 'bad' };
  const budgets: readonly BudgetStatus[] = sources.budgets.getState().value?.budgets ?? [];
  const worst = worstText(budgets);
  if (worst !== undefined) return { text: `${worst.text}. Press 2 for costs`, tone: worst.tone };
  const stopped = openUploads(sources.uploads.getState().value?.uploads ?? []).filter(
    (upload) => savedStatus(upload) === 'interrupted',
  );
  if (stopped.length > 0)
    return {
      text: `${formatCount(stopped.length)} interrupted: archiver resume ${stopped[0]?.id ?? ''}`,
      tone: 'warn',
    };
  return { text: budgets.length === 0 ? 'nothing needs attention' : 'no budget is past its alert' };
}

export const overviewView: DashboardView = {
  id: 'overview',
  title: 'Overview',
  reads: ({ spend, uploads, budgets, hasSharedBudgets }) => [spend, uploads, ...(hasSharedBudgets ? [] : [budgets])],
  asks: ({ budgets, hasSharedBudgets }) => (hasSharedBudgets ? [budgets] : []),
  // One request for each writer.
  glances: ({ store }) => (store === undefined ? [] : [store.fleet]),
  live: ({ uploads }) => (isRunning(uploads) ? [uploads] : []),
  View: Overview,
  summary,
  toJson: ({ sources }) => ({
    monthSpend: spendDocument(sources.spend.getState().value),
    budgets: sources.budgets.getState().value?.budgets,
    uploads: uploadDocuments(sources),
  }),
};
