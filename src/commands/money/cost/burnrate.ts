import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { BurnRate } from '../../../core/money/forecast/burn-rate.js';
import { knownAmounts } from '../../../core/money/forecast/series.js';
import { formatUsd } from '../../../ui/format-usd.js';
import { fact } from '../../kit/lines.js';
import {
  chartFact,
  daysFacts,
  historyFromToday,
  projectArg,
  seriesDocument,
  spendSeries,
  storedFacts,
  subjectText,
  tooFewText,
} from '../spend-series.js';
import { fitLines, type TableContext } from '../../kit/table.js';
import { ESTIMATED, type LedgerContext, ledgerFlags } from '../spent.js';
import { nearestUsd } from '../../../core/cost/money.js';

export const command = defineCommand({
  path: 'cost burnrate',
  summary: 'show how fast money is spent, and whether it goes up',
  description:
    'What a day costs now: what is stored costs this much each day, and one-time costs (requests, retrieval, transfer) come to that much ' +
    'on the mean of the days, the first of all left out. What that is in 30 days, and the trend: how much more a day costs than the one ' +
    'before, by what was added to what is stored and by a line through the one-time costs, told as rising or falling where chance makes ' +
    'such a slope in fewer than 5% of cases.',
  args: [projectArg],
  flags: {
    ...ledgerFlags,
    days: flag.int([7, 365], { default: 90, describe: 'days to go by, up to yesterday' }),
  },
  examples: ['archiver cost burnrate', 'archiver cost burnrate genome --days 30'],
  exits: {
    0: 'shown',
    1: 'fewer than seven days are known (what is stored is told), nothing is recorded for the project, or the ledger cannot be read',
  },
  async run({ days, inRegion: region }, [project], context: Results<'cost burnrate'> & LedgerContext & TableContext) {
    const { burnRate } = await import('../../../core/money/forecast/burn-rate.js');
    const { DAYS_A_MONTH } = await import('../../../core/cost/price-table.js');
    const series = await spendSeries(context, { project, region, days, coming: 1 });
    const rate = burnRate(historyFromToday(series));
    const document = { kind: rate.kind, ...seriesDocument(series) };
    if (rate.kind === 'too-few-days') {
      const { neededDays } = rate;
      const lines = [`${subjectText(series)}: ${tooFewText(rate)}`, ...storedFacts(series)];
      const text = await fitLines(lines, context);
      context.result({ ...document, neededDays }, () => text);
      return 1;
    }
    const { sum, once, perDay, highest, trend, slope, chance } = rate;
    const perMonth = perDay * DAYS_A_MONTH;
    const amounts = {
      knownUsd: nearestUsd(sum),
      oncePerDayUsd: nearestUsd(once),
      perDayUsd: nearestUsd(perDay),
      perMonthUsd: nearestUsd(perMonth),
      highestDayUsd: nearestUsd(highest),
      slopeUsd: nearestUsd(slope),
    };
    const known = knownAmounts(series.days.map(({ cost }) => cost)).map(({ value }) => value);
    const chart = await chartFact('chart', known);
    const text = await fitLines(
      [
        `${subjectText(series)}: ${formatUsd(perDay)} a day now, ${formatUsd(perMonth)} in ${DAYS_A_MONTH} days`,
        ...storedFacts(series),
        fact('once', `${formatUsd(once)} a day for requests, retrieval and transfer`),
        fact('trend', trendText(rate)),
        fact('spent', `${formatUsd(sum)} in ${rate.knownDays} days`),
        ...daysFacts(series),
        chart,
        '',
        ESTIMATED,
      ],
      context,
    );
    context.result({ ...document, ...amounts, trend, chance }, () => text);
    return 0;
  },
});

function trendText({ trend, slope }: BurnRate): string {
  if (trend === 'steady') return 'steady';
  return `${trend}: each day costs ${formatUsd(Math.abs(slope))} ${slope > 0 ? 'more' : 'less'} than the one before`;
}
