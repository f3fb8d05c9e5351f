import { defineCommand } from '../../../cli/command.js';
import type { Cancellation, Environment, Places, Results } from '../../../cli/context.js';
import { flag, type Values } from '../../../cli/flag.js';
import { dashed, idle } from '../../../cli/rule.js';
import { budgetStoreFlag } from '../../kit/budget-flags.js';
import type { BudgetStatus } from '../../../core/money/budget/status.js';
import { documentLine } from '../../../core/platform/json/document.js';
import type { UnpricedLine } from '../../../core/money/ledger/focus.js';
import type { LedgerRecord } from '../../../core/money/ledger/record.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import pkg from '../../../../package.json' with { type: 'json' };
import { formatQuantity } from '../../../ui/format.js';
import { saveText } from '../../kit/save-text.js';
import {
  amountTable,
  ESTIMATED,
  type LedgerContext,
  recordedIn,
  ledgerFlags,
  type Spent,
  spentDocument,
  spentFacts,
  unknownProject,
} from '../spent.js';
import { chosenPeriod, periodFlags, periodRules } from '../period-flags.js';
import { fitLines, roomFor, type TableContext } from '../../kit/table.js';
import type { Period } from '../../../core/money/ledger/period.js';

const flags = {
  ...periodFlags('month'),
  output: flag.fileOrStream({ placeholder: 'FILE', describe: 'write the report to this file instead of stdout' }),
  format: flag.choice(['compliance', 'focus'], {
    describe: 'evidence for a funding agency, or a FOCUS table (CSV) for FinOps tools',
  }),
  budget: flag.text({ placeholder: 'PROJECT_ID', describe: 'with --format compliance: only this project' }),
  grant: flag.text({ placeholder: 'NUMBER', describe: 'with --format compliance: award number' }),
  agency: flag.choice(['NSF', 'NIH'], { default: 'NSF', describe: 'with --format compliance: for whom' }),
  ...budgetStoreFlag,
  text: flag.on({ describe: 'with --format compliance: text to read instead of JSON' }),
  ...ledgerFlags,
};

type ReportContext = Results<'cost report'> &
  Pick<Places, 'cwd'> &
  LedgerContext &
  TableContext &
  Cancellation &
  Environment;

const isOther = (v: Readonly<Record<string, unknown>>): boolean => v['format'] !== 'compliance';

export const command = defineCommand({
  path: 'cost report',
  summary: 'show what was spent in a period',
  description:
    'What the recorded runs of the period paid once (requests, retrieval, transfer, early deletion), and what storing ' +
    'everything that they and earlier runs left in the stores has cost in it, day by day. Periods are those of the local ' +
    'calendar (with --utc: of UTC), and the report says which days they are.\n' +
    '--format compliance is a report for NSF or NIH, as JSON or with --text to read: direct costs with their categories, ' +
    'by month, what is stored where and for how long at least, and what is authorized, used and left where the project (or, ' +
    'without --budget, all of them) has a budget. Amounts are estimates, which it says. ' +
    '--format focus is a table of the FinOps specification FOCUS 1.2, a row for each line in each calendar month of UTC; lines ' +
    'without a price are named beside it.',
  flags,
  rules: [
    ...periodRules,
    ...(['budget', 'grant', 'agency', 'text', 'budgetStore'] as const).map((key) =>
      idle(key, ['format'], `${dashed(key)} needs --format compliance`, isOther),
    ),
  ],
  usesUtc: ({ format }) => format === 'focus',
  examples: [
    'archiver cost report',
    'archiver cost report --period last_month --json --output march.json',
    'archiver cost report --format compliance --budget genome --from 2025-10-01 --to 2026-09-30 --output year-2.json',
    'archiver cost report --format compliance --agency NIH --grant "1 R01 CA 123456-01" --budget genome --text',
    'archiver cost report --format focus --period last_month --output focus.csv',
  ],
  exits: {
    0: 'reported',
    1: 'nothing is recorded for the project of --budget, the ledger or the budgets cannot be read, or the file not written',
  },
  async run(values, _args, context: ReportContext) {
    const { records: all, unreadLines } = await recordedIn(context);
    const records = all.filter(({ region }) => values.inRegion === undefined || region === values.inRegion);
    const period = await chosenPeriod(values, context);
    if (values.format === 'compliance')
      return await reportCompliance(values, { records, period, all, unreadLines }, context);
    if (values.format === 'focus') return await reportFocus(values, { records, period }, context);
    const { spentIn } = await import('../../../core/money/ledger/report.js');
    const report = spentIn(records, period);
    const spent = { report, all, unreadLines };
    const room = roomFor(values.output, context);
    const text = [
      await fitLines(await spentFacts(spent), room),
      await amountTable('FOR', 'item', report, room),
      await amountTable('PROJECT', 'project', report, room),
      await amountTable('CLASS', 'storageClass', report, room),
      await amountTable('REGION', 'region', report, room),
      await fitLines(['', ESTIMATED], room),
    ].join('');
    const document = await spentDocument(spent);
    const saved = await saveText({ document, text, output: values.output }, context);
    context.result({ ...document, ...saved.about }, () => saved.text);
  },
});

interface Recorded {
  readonly records: readonly LedgerRecord[];
  readonly period: Period;
}

async function reportCompliance(
  { budget: project, grant: award, agency, text, output, ...reach }: Values<typeof flags>,
  { records, period, ...known }: Recorded & Pick<Spent, 'all' | 'unreadLines'>,
  context: ReportContext,
): Promise<void> {
  if (project !== undefined && !known.all.some((record) => record.project === project))
    throw unknownProject(project, new Set(known.all.flatMap((record) => record.project ?? [])));
  const { complianceReport, NOTE } = await import('../../../core/money/ledger/compliance.js');
  const { complianceDocument, complianceText } = await import('./compliance.js');
  const own = records.filter((record) => project === undefined || record.project === project);
  const report = complianceReport(own, { period, agency, award });
  if (report.isAwardValid === false)
    context.warn(`${printable(award ?? '')} does not have the form of an award number of ${agency}`);
  const budget = await budgetOf(project ?? null, reach, context);
  const about = {
    ...known,
    project,
    budget,
    createdAt: context.now().toISOString(),
    tool: `archiver ${pkg.version}`,
    note: NOTE,
  };
  const document = await complianceDocument(report, about);
  const shown = text ? await complianceText(report, about, roomFor(output, context)) : documentLine(document);
  const saved = await saveText({ document, text: shown, output }, context);
  context.result({ ...document, ...saved.about }, () => saved.text);
}

/** Returns the status of the project's budget, or without one of that of all projects; null when none is set. */
async function budgetOf(
  project: string | null,
  {
    budgetStore: place,
    profile,
    endpointUrl,
    caBundle,
  }: Pick<Values<typeof flags>, 'budgetStore' | 'profile' | 'endpointUrl' | 'caBundle'>,
  { home, cwd, env, signal, now }: ReportContext,
): Promise<BudgetStatus | null> {
  const { openBook } = await import('../../../core/money/budget/open-book.js');
  const { readBook } = await import('../../../core/money/budget/book-store.js');
  const { budgetIn } = await import('../../../core/money/budget/budget.js');
  const { statusOf } = await import('../../../core/money/budget/status.js');
  const opened = await openBook({ place, home, cwd }, { env, profile, endpointUrl, caBundle, signal });
  const { store } = opened;
  try {
    const book = await readBook(store, signal);
    const budget = budgetIn(book, project);
    return budget === null ? null : statusOf(project, budget, now(), book.reservations);
  } finally {
    opened.close();
  }
}

async function reportFocus(
  { output }: Values<typeof flags>,
  { records, period }: Recorded,
  context: ReportContext,
): Promise<void> {
  const { dayOf } = await import('../../../core/money/ledger/days.js');
  const { focusTable } = await import('../../../core/money/ledger/focus.js');
  const firstDay = dayOf(new Date(records[0]?.time ?? context.now()));
  const { csv, unpriced } = focusTable(records, period, firstDay);
  if (unpriced.length > 0) context.warn(await unpricedText(unpriced));
  const unpricedLines = unpriced.map(({ month, item, project, region, storageClass, store: url, quantity }) => {
    return { month, item, project, region, storageClass, url, quantity };
  });
  const saved = await saveText({ document: { csv, unpricedLines }, text: csv, output }, context);
  context.result({ csv, unpricedLines, ...saved.about }, () => saved.text);
}

/** Names the lines that a FOCUS table, where each cost is a number, cannot have. */
async function unpricedText(lines: readonly UnpricedLine[]): Promise<string> {
  const { firstLines } = await import('../../kit/lines.js');
  const texts = lines.map(({ month, item, storageClass, project, store }) =>
    printable(
      [month, item, storageClass, project === null ? null : `of ${project}`, `in ${store}`]
        .flatMap((part) => part ?? [])
        .join(' '),
    ),
  );
  const count = formatQuantity(lines.length, 'line');
  return [
    `${count} without a price, not in the table:`,
    ...firstLines(
      texts.map((text) => `  ${text}`),
      { indent: '  ' },
    ),
  ].join('\n');
}
