// This month's costs by storage class, and the state of each budget.
import { Box } from 'ink';
import { type ReactElement, useMemo } from 'react';
import { amountText } from '../../../core/notify/alerts/amounts.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import type { BudgetsRead } from '../../../stores/dashboard/sources.js';
import { listModel, type Row } from '../../../stores/dashboard/view-model.js';
import type { Column } from '../../../ui/columns.js';
import { type Fact, Facts, wrapFacts } from '../../../ui/facts.js';
import { formatQuantity } from '../../../ui/format.js';
import { formatMinute } from '../../../ui/format-time.js';
import { useSize } from '../../../ui/size.js';
import { Table } from '../../../ui/table.js';
import { type Glyphs, Tint, useTheme } from '../../../ui/theme.js';
import { useNames } from '../../use-names.js';
import {
  type BudgetLine,
  byShare,
  leftText,
  linesOf,
  reservedText,
  nameOf,
  usageText,
  warningOf,
  warningText,
  worstText,
} from '../budget-lines.js';
import { useDashboard, useRows, useSource } from '../dashboard-context.js';
import { UsageGauge } from '../usage-gauge.js';
import { cellsOf, fitted } from '../cells.js';
import { Section, Sentence } from '../panels.js';
import { ClassRows, monthText, sharedText, spendDocument } from '../spend-rows.js';
import type { DashboardView } from '../view.js';

/** Least number of rows of a list while there is room for anything else; the second when its details are open. */
const LEAST_ROWS = 5;
const LEAST_OPEN_ROWS = 2;

const DETAILS_INDENT = 3;
const MONTH_TITLE = 'THIS MONTH BY STORAGE CLASS';

interface BudgetRow extends Row {
  readonly status: BudgetStatus;
}

const known = new WeakMap<BudgetsRead, readonly BudgetRow[]>();
const NONE: readonly BudgetRow[] = [];

/** The rows of the budgets; the same array for the same budgets. */
function rowsOf(read: BudgetsRead | undefined): readonly BudgetRow[] {
  if (read === undefined) return NONE;
  const rows = known.get(read) ?? read.budgets.map((status) => ({ id: JSON.stringify(status.project), status }));
  known.set(read, rows);
  return rows;
}

const left = ({ costUsage: { remaining } }: BudgetStatus): number => remaining ?? Infinity;

const LIST = listModel<BudgetRow>({
  items: ({ budgets }) => rowsOf(budgets.getState().value),
  text: ({ status }) => nameOf(status),
  sorts: [
    ['share used', (one, other) => byShare(one.status, other.status)],
    ['name', (one, other) => nameOf(one.status).localeCompare(nameOf(other.status), 'en')],
    ['cost', (one, other) => other.status.costUsage.used - one.status.costUsage.used],
    ['what is left', (one, other) => left(one.status) - left(other.status)],
  ],
});

function Costs(): ReactElement {
  const { sources } = useDashboard();
  const { rows, columns } = useSize();
  const spend = useSource(sources.spend);
  const budgets = useSource(sources.budgets);
  const names = useNames();
  const { rows: shown, cursor, place } = useRows(LIST);
  const isOpen = place.isOpen && shown[cursor] !== undefined;
  const classes = spend.value?.classes ?? [];
  const facts = useMemo(
    () => (isOpen && shown[cursor] ? wrapFacts(factsOf(shown[cursor].status), columns, DETAILS_INDENT) : []),
    [isOpen, shown, cursor, columns],
  );
  // Titles and an empty row; the list takes the rest.
  const [wanted, least] = isOpen ? [facts.length, LEAST_OPEN_ROWS] : [classes.length, LEAST_ROWS];
  const shared = spend.value?.sharedLedger;
  const titles = shared === undefined || isOpen ? 3 : 4;
  const above = Math.max(1, Math.min(wanted, rows - titles - least));
  return (
    <Box flexDirection="column" rowGap={1}>
      {isOpen && shown[cursor] !== undefined ? (
        <Details row={shown[cursor]} facts={facts.slice(0, above)} />
      ) : (
        <Section
          title={MONTH_TITLE}
          note={spend.value && monthText(spend.value, columns - MONTH_TITLE.length - 4)}
          problem={spend.problem}
        >
          {shared && <Sentence>{`recorded in ${names(sharedText(shared))}`}</Sentence>}
          {spend.value === undefined ? (
            <Sentence>not read yet</Sentence>
          ) : classes.length === 0 ? (
            <Sentence>{`nothing that ${shared ? 'is recorded there' : 'this computer has recorded'} was spent`}</Sentence>
          ) : (
            <ClassRows groups={classes} rows={above} />
          )}
        </Section>
      )}
      <Section title="BUDGETS" problem={budgets.problem}>
        <BudgetTable rows={shown} cursor={cursor} height={rows - above - titles} isRead={budgets.value !== undefined} />
      </Section>
    </Box>
  );
}

function Details({
  row: { status },
  facts,
}: {
  readonly row: BudgetRow;
  readonly facts: readonly Fact[];
}): ReactElement {
  const names = useNames();
  return (
    <Section title={names(nameOf(status))}>
      <Facts facts={facts} indent={DETAILS_INDENT} />
    </Section>
  );
}

interface BudgetTableProps {
  readonly rows: readonly BudgetRow[];
  readonly cursor: number;
  readonly height: number;
  readonly isRead: boolean;
}

function BudgetTable({ rows, cursor, height, isRead }: BudgetTableProps): ReactElement {
  const names = useNames();
  const { glyphs } = useTheme();
  const { sources } = useDashboard();
  const columns = useMemo(() => columnsOf(rows, names, glyphs), [rows, names, glyphs]);
  if (!isRead) return <Sentence>not read yet</Sentence>;
  if (LIST.total(sources) === 0) return <Sentence>none is set: archiver budget set PROJECT --cost USD</Sentence>;
  if (rows.length === 0) return <Sentence>no budget matches; esc clears the filter</Sentence>;
  return <Table count={rows.length} cursor={cursor} columns={columns} height={height} />;
}

function columnsOf(rows: readonly BudgetRow[], names: (text: string) => string, glyphs: Glyphs): readonly Column[] {
  const of = cellsOf(rows);
  const limit = (kind: 'cost' | 'volume', title: string, priority: number): readonly Column[] => [
    {
      title,
      weight: 2,
      min: 9,
      max: 30,
      priority,
      cell: (index, width) => <UsageGauge usage={rows[index] && usageOf(kind, rows[index])} width={width} />,
    },
    fitted(rows, priority + 1, (row) => usageText(kind, usageOf(kind, row))),
  ];
  return [
    {
      title: 'PROJECT',
      weight: 1,
      min: 14,
      max: 30,
      cut: 'middle',
      priority: 0,
      cell: of(({ status }) => names(nameOf(status))),
    },
    { title: 'PERIOD', width: 6, priority: 6, cell: of(({ status }) => status.budgetPeriod) },
    ...limit('cost', 'COST', 0),
    ...limit('volume', 'VOLUME', 3),
    {
      title: 'STATE',
      width: 11,
      priority: 2,
      cell: (index, width) => <State row={rows[index]} width={width} glyphs={glyphs} />,
    },
  ];
}

const usageOf = (kind: BudgetLine['kind'], { status }: BudgetRow): BudgetLine['usage'] =>
  kind === 'cost' ? status.costUsage : status.volumeUsage;

const RANKS = ['ok', 'projected', 'warning', 'critical'];

/** The state of the worse of its limits. */
function State({
  row,
  width,
  glyphs,
}: {
  readonly row: BudgetRow | undefined;
  readonly width: number;
  readonly glyphs: Glyphs;
}): ReactElement {
  const lines = row === undefined ? [] : linesOf(row.status);
  const rank = ({ usage }: BudgetLine): number => RANKS.indexOf(usage.alertState);
  const [worst] = lines.toSorted((one, other) => rank(other) - rank(one));
  const text = worst === undefined ? '' : warningText(worst, glyphs) || `${glyphs.live} ok`;
  return <Tint tone={worst && (warningOf(worst)?.tone ?? 'good')}>{text.padEnd(width)}</Tint>;
}

/** All facts about a budget. */
function factsOf(status: BudgetStatus): readonly Fact[] {
  const { budgetPeriod, periodStart, periodEnd, projectedFor, unpricedRuns, reservedRuns } = status;
  const time = (moment: string): string => formatMinute(new Date(moment));
  const counted = periodEnd === null ? `since ${time(periodStart)}` : `${time(periodStart)} to ${time(periodEnd)}`;
  return [
    ...linesOf(status).flatMap((line): readonly Fact[] => {
      const { kind, usage } = line;
      const { perDay, projected, exhaustedAt, alertPercent } = usage;
      const end = projected === null ? '' : `, ${amountText(kind, projected)} by ${projectedFor.slice(0, 10)}`;
      const ends = exhaustedAt === null ? '' : `, used up ${time(exhaustedAt)}`;
      return [
        {
          label: kind,
          value: `${usageText(kind, usage)}${usage.limit > 0 ? `, ${leftText(line)}, alert at ${alertPercent}%` : ''}`,
        },
        { label: '', value: `${amountText(kind, perDay)} a day${end}${ends}` },
      ];
    }),
    { label: 'period', value: `${budgetPeriod === 'total' ? 'in total' : 'by the month (UTC)'}, ${counted}` },
    ...(reservedRuns === 0 ? [] : [{ label: 'reserved', value: reservedText(status) }]),
    ...(unpricedRuns === 0
      ? []
      : [
          {
            label: 'unknown',
            value: `the cost of ${formatQuantity(unpricedRuns, 'run')}, which is not counted`,
            tone: 'warn' as const,
          },
        ]),
  ];
}

export const costsView: DashboardView = {
  id: 'costs',
  title: 'Costs',
  reads: ({ spend, budgets, hasSharedBudgets }) => [spend, ...(hasSharedBudgets ? [] : [budgets])],
  asks: ({ budgets, hasSharedBudgets }) => (hasSharedBudgets ? [budgets] : []),
  list: LIST,
  View: Costs,
  summary({ sources }) {
    const problem = sources.spend.getState().problem ?? sources.budgets.getState().problem;
    if (problem !== undefined) return { text: problem, tone: 'bad' };
    const budgets = sources.budgets.getState().value;
    const worst = worstText(budgets?.budgets ?? []);
    if (worst !== undefined) return worst;
    const where = sources.hasSharedBudgets && budgets !== undefined ? ` in ${budgets.location}; R reads them anew` : '';
    return { text: `${formatQuantity(budgets?.budgets.length ?? 0, 'budget')}${where}` };
  },
  toJson: ({ sources }) => ({
    monthSpend: spendDocument(sources.spend.getState()),
    budgets: sources.budgets.getState().value?.budgets,
  }),
};
