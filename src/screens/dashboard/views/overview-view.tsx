// What needs attention, and a bit of every source: costs, budgets, running uploads, the fleet. Without a cursor.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import type { SpentGroup } from '../../../core/money/ledger/report.js';
import type { SpendRead } from '../../../stores/dashboard/sources.js';
import type { FleetRead } from '../../../stores/dashboard/store-sources.js';
import { openUploads } from '../../../stores/dashboard/upload-list.js';
import type { Column } from '../../../ui/columns.js';
import { formatQuantity } from '../../../ui/format.js';
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
} from '../budget-lines.js';
import { type Dashboard, type ReadSource, useDashboard, useSource, useStoreSources } from '../dashboard-context.js';
import { UsageGauge } from '../usage-gauge.js';
import { fitted } from '../cells.js';
import { FindingRows, MOST_FINDINGS } from '../finding-rows.js';
import { type Finding, findingsOf } from '../findings.js';
import { FleetSection, writerRows } from '../fleet-rows.js';
import { FirstRows, moreText, Section, Sentence, shareRows } from '../panels.js';
import { ClassRows, spendDocument, SpendRows } from '../spend-rows.js';
import { isRunning, uploadDocuments } from '../uploads/saved-rows.js';
import { UploadsSection } from '../uploads/uploads-section.js';
import type { DashboardView } from '../view.js';

function Overview(): ReactElement {
  const { store } = useDashboard().sources;
  return store === undefined ? <Parts /> : <WithFleet />;
}

const WithFleet = (): ReactElement => <Parts fleet={useSource(useStoreSources().fleet)} />;

/** With fewer rows, parts stand right below each other. */
const ROOMY_FROM_ROWS = 12;

function Parts({ fleet }: { readonly fleet?: ReadSource<FleetRead> }): ReactElement {
  const { sources } = useDashboard();
  const { columns, rows } = useSize();
  const spend = useSource(sources.spend);
  const budgets = useSource(sources.budgets);
  const uploads = useSource(sources.uploads);
  const { findings } = findingsOf(sources);
  const lines = useMemo(() => (budgets.value?.budgets ?? []).toSorted(byShare).flatMap(linesOf), [budgets.value]);
  const open = useMemo(() => openUploads(uploads.value?.uploads ?? []), [uploads.value]);
  const groups = groupsFor(columns, spend.value);
  const gap = rows < ROOMY_FROM_ROWS ? 0 : 1;
  const [findingRows = 0, fleetRows = 0, budgetRows = 0, uploadRows = 0, classRows = 0] = layoutOf(rows, gap, [
    Math.min(findings.length, MOST_FINDINGS),
    fleet && writerRows(fleet),
    Math.max(1, lines.length),
    Math.max(1, open.length),
    groups.length === 0 ? undefined : groups.length,
  ]);
  return (
    <Box flexDirection="column" rowGap={gap}>
      {findings.length > 0 && <FindingRows findings={findings} rows={findingRows} />}
      <Section title="SPEND THIS MONTH" problem={spend.problem}>
        <SpendRows spend={spend.value} rows={spendRowsOf(gap)} />
      </Section>
      <Section
        title="BUDGETS"
        note={moreText(budgetRows, lines.length, budgets.value?.budgets.length ?? 0, 2)}
        problem={budgets.problem}
      >
        <BudgetRows lines={lines} rows={budgetRows} isRead={budgets.value !== undefined} />
      </Section>
      <UploadsSection read={uploads} uploads={open} rows={uploadRows} />
      <ClassesSection groups={groups} rows={classRows} />
      {fleet && <FleetSection fleet={fleet} rows={fleetRows} />}
    </Box>
  );
}

/** The sum of the month and, where there is room, its days. */
const spendRowsOf = (gap: number): number => gap + 1;

/**
 * Distributes rows among the parts; undefined wants none, and no title. Findings come first, and have signs instead of a title; every other
 * part has one and, except for the last, a gap below it.
 */
function layoutOf(
  rows: number,
  gap: number,
  [findings = 0, ...parts]: readonly (number | undefined)[],
): readonly number[] {
  const titles = 1 + parts.filter((wanted) => wanted !== undefined).length;
  const gaps = gap * (titles - (findings > 0 ? 0 : 1));
  const room = rows - titles - gaps - spendRowsOf(gap);
  return shareRows(room, [findings, ...parts.map((wanted) => wanted ?? 0)]);
}

const NO_GROUPS: readonly SpentGroup[] = [];

/** Costs by storage class, where there is room for them. */
const groupsFor = (columns: number, spend: SpendRead | undefined): readonly SpentGroup[] =>
  (columns >= WIDE_COLUMNS ? spend?.classes : undefined) ?? NO_GROUPS;

const ClassesSection = ({
  groups,
  rows,
}: {
  readonly groups: readonly SpentGroup[];
  readonly rows: number;
}): ReactElement | null =>
  rows === 0 ? null : (
    <Section title="STORAGE CLASSES">
      <ClassRows groups={groups} rows={rows} />
    </Section>
  );

interface ListProps {
  readonly rows: number;
  /** False until the source was read for the first time. */
  readonly isRead: boolean;
}

function BudgetRows({
  lines,
  rows,
  isRead,
}: ListProps & { readonly lines: readonly BudgetLine[] }): ReactElement | null {
  const names = useNames();
  const { glyphs } = useTheme();
  const { columns: width } = useSize();
  const columns = useMemo(() => budgetColumns(lines, names, glyphs, width), [lines, names, glyphs, width]);
  if (rows === 0) return null;
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

/** The state of everything in one sentence: the worst first, and then what is not known. */
function summary({ sources }: Dashboard): ReturnType<DashboardView['summary']> {
  const { findings, unread, missing } = findingsOf(sources);
  const [worst] = findings;
  const unknown = [
    ...(unread.length === 0 ? [] : [`not read yet: ${unread.join(', ')}`]),
    ...(missing === undefined ? [] : [missing]),
  ];
  if (worst !== undefined) {
    const count = (tone: Finding['tone']): number => findings.filter((one) => one.tone === tone).length;
    const parts = [
      ...(count('bad') === 0 ? [] : [formatQuantity(count('bad'), 'problem')]),
      ...(count('warn') === 0 ? [] : [formatQuantity(count('warn'), 'warning')]),
    ];
    return {
      text: [`${parts.join(', ')}; press ${worst.key} for the worst`, ...unknown].join(' · '),
      tone: worst.tone,
    };
  }
  const text = unread.length > 0 ? 'nothing found so far' : 'nothing needs attention';
  return { text: [text, ...unknown].join(' · ') };
}

export const overviewView: DashboardView = {
  id: 'overview',
  title: 'Overview',
  // The fleet takes one request for each writer, and so has a rest of its own.
  reads: ({ spend, uploads, budgets, hasSharedBudgets, store }) => [
    spend,
    uploads,
    ...(hasSharedBudgets ? [] : [budgets]),
    ...(store === undefined ? [] : [store.fleet]),
  ],
  asks: ({ budgets, hasSharedBudgets }) => (hasSharedBudgets ? [budgets] : []),
  live: ({ uploads }) => (isRunning(uploads) ? [uploads] : []),
  View: Overview,
  summary,
  toJson: ({ sources }) => ({
    monthSpend: spendDocument(sources.spend.getState()),
    budgets: sources.budgets.getState().value?.budgets,
    uploads: uploadDocuments(sources),
  }),
};
