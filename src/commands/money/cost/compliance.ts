// A report for NSF or NIH, as a document and as text.
import { amountText } from '../../../core/notify/alerts/amounts.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import type { ComplianceReport } from '../../../core/money/ledger/compliance.js';
import type { SpentGroup } from '../../../core/money/ledger/report.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../../ui/format.js';
import { fact } from '../../kit/lines.js';
import { column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';
import { periodDocument, periodText } from '../period-flags.js';
import { amountDocument, amountOf, doubtFacts, gbMonthsText, type Spent, usedDocument, usedText } from '../spent.js';

/** Fields that the user fills in. */
const BLANKS = {
  principalInvestigator: '',
  institution: '',
  repository: '',
  persistentIdentifier: '',
  sharingStatus: '',
};

interface ReportFacts extends Pick<Spent, 'all' | 'unreadLines'> {
  readonly project: string | undefined;
  /** Null when no budget is set. */
  readonly budget: BudgetStatus | null;
  /** Time in ISO 8601. */
  readonly createdAt: string;
  readonly tool: string;
  readonly note: string;
}

/** The report as JSON. */
export async function complianceDocument(
  { agency, award, isAwardValid, report, lines, months, commitments, stores }: ComplianceReport,
  { project, budget, createdAt, tool, note, ...known }: ReportFacts,
) {
  const { uploads, files, bytes, storedBytes, period, pricesOf } = report;
  return {
    agency,
    awardNumber: award,
    isAwardValid,
    project: project ?? null,
    ...(await periodDocument(period)),
    createdAt,
    tool,
    currency: 'USD',
    priceBasis: 'list prices, or prices that were agreed on',
    priceDates: pricesOf,
    ...(await usedDocument({ report, ...known })),
    budget,
    directCosts: lines.map(({ name: item, category, ...line }) => ({ item, category, ...amountDocument(line) })),
    costByMonth: months.map(({ name: month, ...line }) => ({ month, ...amountDocument(line) })),
    commitments,
    uploadCount: uploads,
    uploadsWithoutProject: report.uploadsWithoutProject,
    files,
    bytes,
    storedBytes,
    storageLocations: stores,
    blanks: BLANKS,
    note,
  };
}

/** Lines that compare the limits with what is used and left. */
function budgetLines(budget: BudgetStatus): readonly string[] {
  const { isGlobal, budgetPeriod, periodStart, costUsage, volumeUsage, unpricedRuns } = budget;
  const time = `${budgetPeriod === 'total' ? 'since' : 'in the month from'} ${periodStart.slice(0, 10)}`;
  const lines = (
    [
      ['cost', costUsage],
      ['volume', volumeUsage],
    ] as const
  ).flatMap(([kind, usage]) => {
    const { limit, used, remaining } = usage;
    const text = (amount: number): string => amountText(kind, amount);
    if (remaining === null) return [];
    return [`${kind}: authorized ${text(limit)}, used ${text(used)}, remaining ${text(remaining)}`];
  });
  const whose = isGlobal ? 'of all projects' : 'of the project';
  return [
    fact('budget', `${whose}, ${time}; what runs cost, and storing until today`),
    ...lines.map((line) => fact('', line)),
    ...(unpricedRuns === 0 ? [] : [fact('', `not in it: ${formatQuantity(unpricedRuns, 'run')} of unknown cost`)]),
  ];
}

/** A table of what was used and what it cost; a dash where nothing was. */
const usedTable = (title: string, lines: readonly SpentGroup[], context: TableContext): Promise<string> =>
  tableText(
    lines,
    [
      column<SpentGroup>(title, ({ name }) => name ?? 'none', { isCuttable: false }),
      numbers<SpentGroup>('GB-MONTHS', ({ gbMonths }) => (gbMonths > 0 ? gbMonthsText(gbMonths) : undefined), {
        dropOrder: 2,
      }),
      numbers<SpentGroup>(
        'REQUESTS',
        ({ requestCount }) => (requestCount > 0 ? formatCount(requestCount) : undefined),
        { dropOrder: 1 },
      ),
      numbers<SpentGroup>(
        'SENT OUT',
        ({ transferredBytes }) => (transferredBytes > 0 ? formatBytes(transferredBytes) : undefined),
        { dropOrder: 4 },
      ),
      numbers<SpentGroup>(
        'RETRIEVED',
        ({ retrievedBytes }) => (retrievedBytes > 0 ? formatBytes(retrievedBytes) : undefined),
        { dropOrder: 3 },
      ),
      numbers<SpentGroup>('COST', amountOf),
    ],
    context,
  );

/** The direct costs, a table for each category. */
async function directCosts(lines: ComplianceReport['lines'], context: TableContext): Promise<string> {
  const categories = [...new Set(lines.map(({ category }) => category))];
  const tables = categories.map(async (category) => {
    const own = lines.filter((line) => line.category === category);
    return `${await fitLines(['', `Direct costs: ${category}`], context)}${await usedTable('FOR', own, context)}`;
  });
  return (await Promise.all(tables)).join('');
}

/** The report as text. */
export async function complianceText(
  found: ComplianceReport,
  { project, budget, createdAt, tool, note, ...known }: ReportFacts,
  context: TableContext,
): Promise<string> {
  const { agency, award, isAwardValid, report, lines, months, commitments, stores } = found;
  const { uploads, files, bytes, storedBytes, period, pricesOf } = report;
  const validity = isAwardValid === false ? ` (not of the form that ${agency} gives)` : '';
  const head = [
    `Data storage costs for ${agency}, award ${award === null ? '________' : printable(award) + validity}`,
    fact('project', project === undefined ? 'all' : printable(project)),
    fact('period', await periodText(period)),
    fact('made', `${createdAt} by ${tool}`),
    fact(
      'prices',
      `USD, list prices${pricesOf.length === 0 ? '' : ` of ${pricesOf.join(', ')}`}, or prices that were agreed on`,
    ),
    fact('total', amountOf(report)),
    fact('used', usedText(report)),
    ...(await doubtFacts({ report, ...known })),
    ...(budget === null ? [fact('budget', 'none is set')] : budgetLines(budget)),
  ];
  const data = [
    '',
    'Data',
    fact('added', `${formatQuantity(files, 'file')}, ${formatBytes(bytes)} in ${formatQuantity(uploads, 'upload')}`),
    fact('stored', `${formatBytes(storedBytes)} at the end of the period`),
    ...stores.map((url) => fact('location', printable(url))),
    ...commitments.map(({ storageClass, bytes: held, minimumDays }) =>
      fact('class', `${printable(storageClass)}: ${formatBytes(held)}, ${minimumText(minimumDays)}`),
    ),
    fact('untagged', `${formatQuantity(report.uploadsWithoutProject, 'upload')} without --project`),
    '',
    'To fill in',
    ...Object.keys(BLANKS).map(
      (name) => `  ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}: ________`,
    ),
    '',
    note,
  ];
  return [
    await fitLines(head, context),
    await directCosts(lines, context),
    await fitLines(['', 'By month'], context),
    await usedTable('MONTH', months, context),
    await fitLines(data, context),
  ].join('');
}

function minimumText(days: number | null): string {
  if (days === null) return 'minimum storage time not known';
  return days === 0 ? 'no minimum storage time' : `stored for at least ${days} days`;
}
