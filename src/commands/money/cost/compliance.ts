// A report for NSF or NIH, as a document and as text.
import { amountText } from '../../../core/notify/alerts/amounts.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import type { ComplianceReport } from '../../../core/money/ledger/compliance.js';
import type { SpentGroup } from '../../../core/money/ledger/report.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { fact, textOf } from '../../kit/lines.js';
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
    fact('budget', `${whose}, ${time}; what runs cost and a month of what they stored`),
    ...lines.map((line) => fact('', line)),
    ...(unpricedRuns === 0 ? [] : [fact('', `not in it: ${formatQuantity(unpricedRuns, 'run')} of unknown cost`)]),
  ];
}

/** `  storage  $1.20  52.17 GB-months`; without quantities where there are none. */
function amountLine(line: SpentGroup): string {
  const used = [
    ...(line.gbMonths > 0 ? [`${gbMonthsText(line.gbMonths)} GB-months`] : []),
    ...(line.requestCount > 0 ? [formatQuantity(line.requestCount, 'request')] : []),
    ...(line.transferredBytes > 0 ? [`${formatBytes(line.transferredBytes)} sent out`] : []),
    ...(line.retrievedBytes > 0 ? [`${formatBytes(line.retrievedBytes)} retrieved`] : []),
  ];
  return `  ${(line.name ?? '').padEnd(16)} ${amountOf(line).padStart(12)}  ${used.join(', ')}`;
}

/** The report as text. */
export async function complianceText(
  found: ComplianceReport,
  { project, budget, createdAt, tool, note, ...known }: ReportFacts,
): Promise<string> {
  const { agency, award, isAwardValid, report, lines, months, commitments, stores } = found;
  const { uploads, files, bytes, storedBytes, period, pricesOf } = report;
  const validity = isAwardValid === false ? ` (not of the form that ${agency} gives)` : '';
  return textOf([
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
    '',
    'Direct costs',
    ...lines.map((line) => `${amountLine(line)}  ${line.category}`),
    '',
    'By month',
    ...months.map(amountLine),
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
  ]);
}

function minimumText(days: number | null): string {
  if (days === null) return 'minimum storage time not known';
  return days === 0 ? 'no minimum storage time' : `stored for at least ${days} days`;
}
