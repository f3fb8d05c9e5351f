import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import type { Exhaustion } from '../../../core/money/forecast/exhaustion.js';
import { formatQuantity } from '../../../ui/format.js';
import { formatUsd } from '../../../ui/format-usd.js';
import { fact } from '../../kit/lines.js';
import {
  daysFacts,
  historyFromTomorrow,
  projectArg,
  seriesDocument,
  type SpendSeries,
  spendSeries,
  storedFacts,
  subjectText,
  tooFewText,
} from '../spend-series.js';
import { ESTIMATED, type LedgerContext, ledgerFlags } from '../spent.js';
import { fitLines, type TableContext } from '../../kit/table.js';
import { nearestUsd } from '../../../core/cost/money.js';

/** Defaults of `cost forecast`, which this forecast uses. */
const [DAYS, MODEL] = [90, 'linear'] as const;
/** Number of days in which what is stored may reach the budget alone: ten years. */
const FAR_DAYS = 3653;

export const command = defineCommand({
  path: 'cost exhaustion',
  summary: 'forecast when a budget runs out',
  description:
    `Goes by what is stored now and by what was recorded for each of the last ${DAYS} days, as \`archiver cost forecast\` does with its defaults: the first day ` +
    'on which what is expected reaches what is left, how likely it is that the budget runs out within 90 days, and the day on which ' +
    'what is stored now reaches it alone, if that is within ten years.',
  args: [projectArg],
  flags: {
    ...ledgerFlags,
    budget: flag.usd({ required: true, placeholder: 'AMOUNT', describe: 'all that may be spent, in USD' }),
    spent: flag.usd({ placeholder: 'AMOUNT', describe: 'what is spent of it; all that is recorded, when not given' }),
  },
  examples: [
    'archiver cost exhaustion genome --budget 5000',
    'archiver cost exhaustion --budget 5000 --spent 1200 --json',
  ],
  exits: {
    0: 'told, also where it is exhausted',
    1: 'fewer than seven days are known and what is stored does not reach the budget within 90 days, nothing is recorded for the project, or the ledger cannot be read',
  },
  async run(
    { budget, spent: given, inRegion: region },
    [project],
    context: Results<'cost exhaustion'> & LedgerContext & TableContext,
  ) {
    const { exhaustion } = await import('../../../core/money/forecast/exhaustion.js');
    const { plusDays } = await import('../../../core/money/ledger/days.js');
    const series = await spendSeries(context, { project, region, days: DAYS, coming: 1 + FAR_DAYS });
    const spent = given ?? series.spentUsd;
    if (spent === null)
      throw usageError(
        'what is spent of the budget is not known: some records have no price',
        'say it with --spent AMOUNT',
      );
    // The cost of today is part of `spent`, so the forecast begins tomorrow.
    const result = exhaustion(historyFromTomorrow(series), { budget, spent }, MODEL);
    const dateIn = (days: number | null): string | null => (days === null ? null : plusDays(series.lastDay, 1 + days));
    const told = {
      budget,
      spent,
      date: result.kind === 'runs-out' ? dateIn(result.days) : null,
      storedDate: result.kind === 'exhausted' ? null : dateIn(result.storedDays),
    };
    const text = await fitLines(linesOf(series, result, told), context);
    context.result(documentOf(series, result, told), () => text);
    return result.kind === 'too-few-days' ? 1 : 0;
  },
});

interface Told {
  readonly budget: number;
  readonly spent: number;
  /** Date on which the budget runs out. */
  readonly date: string | null;
  /** Date on which what is stored now reaches it alone. */
  readonly storedDate: string | null;
}

function documentOf(series: SpendSeries, result: Exhaustion, { budget, spent, date, storedDate }: Told) {
  const { kind } = result;
  const document = {
    kind,
    ...seriesDocument(series),
    budgetUsd: nearestUsd(budget),
    spentUsd: nearestUsd(spent),
    leftUsd: nearestUsd(Math.max(0, budget - spent)),
    days: kind === 'runs-out' ? result.days : kind === 'exhausted' ? 0 : null,
    date,
  };
  if (kind === 'exhausted') return { ...document, overUsd: nearestUsd(result.over), probability: 1 };
  const { neededDays } = result;
  const stored = {
    storedUsd: nearestUsd(result.stored),
    storedDate,
    ...(neededDays === undefined ? { model: MODEL } : { neededDays }),
  };
  if (kind === 'too-few-days') return { ...document, ...stored, probability: null };
  return { ...document, ...stored, probability: result.probability, expectedUsd: nearestUsd(result.expected) };
}

function linesOf(
  series: SpendSeries,
  result: Exhaustion,
  { budget, spent, date, storedDate }: Told,
): readonly string[] {
  const subject = subjectText(series);
  const amounts = fact('budget', `${formatUsd(budget)}, of which ${formatUsd(spent)} is spent`);
  const alone = `what is stored now reaches the budget alone on ${storedDate}`;
  const stored = [...storedFacts(series), ...(storedDate === null ? [] : [fact('alone', alone)])];
  switch (result.kind) {
    case 'exhausted':
      return [`${subject}: the budget is exhausted, ${formatUsd(result.over)} over`, amounts, '', ESTIMATED];
    case 'too-few-days':
      return [`${subject}: ${tooFewText(result)}`, amounts, ...stored, '', ESTIMATED];
    case 'runs-out':
    case 'lasts': {
      const when =
        result.kind === 'lasts'
          ? 'is not expected to run out within 90 days'
          : `runs out on ${date}, in ${formatQuantity(result.days, 'day')}`;
      const { neededDays, left, expected } = result;
      const how = neededDays === undefined ? MODEL : `what is stored only: statistics take ${neededDays} days`;
      return [
        `${subject}: the budget ${when}`,
        amounts,
        ...stored,
        fact('expected', `${formatUsd(expected)} in the next 90 days (${how}), with ${formatUsd(left)} left`),
        fact('chance', `${percentText(result.probability)} that it runs out within 90 days`),
        ...(neededDays === undefined ? daysFacts(series) : []),
        '',
        ESTIMATED,
      ];
    }
    default:
      return result satisfies never;
  }
}

/** Formats a probability; only 0 and 1 are shown as 0% and 100%. */
function percentText(probability: number): string {
  if (probability > 0 && probability < 0.01) return 'less than 1%';
  if (probability < 1 && probability > 0.99) return 'more than 99%';
  return `${Math.round(probability * 100)}%`;
}
