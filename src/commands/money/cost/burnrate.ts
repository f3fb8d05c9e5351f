import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { BurnRate } from '../../../core/money/forecast/burn-rate.js';
import { formatUsd } from '../../../ui/format-usd.js';
import { fact, textOf } from '../../kit/lines.js';
import {
  chartFact,
  costsOf,
  daysFact,
  projectArg,
  seriesDocument,
  spendSeries,
  subjectText,
  tooFewText,
} from '../spend-series.js';
import { ESTIMATED, type LedgerContext, recordedRegionFlag } from '../spent.js';
import { nearestUsd } from '../../../core/cost/money.js';

export const command = defineCommand({
  path: 'cost burnrate',
  summary: 'show how fast money is spent, and whether it goes up',
  description:
    'The mean of what was recorded for each day, what that is in 30 days, and the trend: a line through the days, told as rising ' +
    'or falling where chance makes such a slope in fewer than 5% of cases.',
  args: [projectArg],
  flags: {
    ...recordedRegionFlag,
    days: flag.int([7, 365], { default: 90, describe: 'days to go by, up to yesterday' }),
  },
  examples: ['archiver cost burnrate', 'archiver cost burnrate genome --days 30'],
  exits: {
    0: 'shown',
    1: 'fewer than seven days are known, nothing is recorded for the project, or the ledger cannot be read',
  },
  async run({ days, inRegion: region }, [project], context: Results<'cost burnrate'> & LedgerContext) {
    const { burnRate } = await import('../../../core/money/forecast/burn-rate.js');
    const { DAYS_A_MONTH } = await import('../../../core/cost/price-table.js');
    const series = await spendSeries(context, { project, region, days });
    const costs = costsOf(series);
    const rate = burnRate(costs);
    const document = { kind: rate.kind, ...seriesDocument(series) };
    if (rate.kind === 'too-few-days') {
      const { neededDays } = rate;
      context.result({ ...document, neededDays }, () => `${subjectText(series)}: ${tooFewText(rate)}\n`);
      return 1;
    }
    const { sum, mean, highest, trend, slope, chance } = rate;
    const perMonth = mean * DAYS_A_MONTH;
    const amounts = {
      knownUsd: nearestUsd(sum),
      perDayUsd: nearestUsd(mean),
      perMonthUsd: nearestUsd(perMonth),
      highestDayUsd: nearestUsd(highest),
      slopeUsd: nearestUsd(slope),
    };
    const chart = await chartFact(
      'chart',
      costs.filter((cost) => cost !== null),
      `${rate.knownDays} days`,
    );
    context.result({ ...document, ...amounts, trend, chance }, () =>
      textOf([
        `${subjectText(series)}: ${formatUsd(mean)} a day, ${formatUsd(perMonth)} in ${DAYS_A_MONTH} days`,
        fact('trend', trendText(rate)),
        fact('spent', `${formatUsd(sum)} in ${rate.knownDays} days`),
        daysFact(series),
        chart,
        '',
        ESTIMATED,
      ]),
    );
    return 0;
  },
});

function trendText({ trend, slope }: BurnRate): string {
  if (trend === 'steady') return 'steady';
  return `${trend}: each day costs ${formatUsd(Math.abs(slope))} ${slope > 0 ? 'more' : 'less'} than the one before`;
}
