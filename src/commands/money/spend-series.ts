// The common part of commands that forecast costs: the daily costs so far, and how they are shown.
import { arg } from '../../cli/arg.js';
import { nearestUsd } from '../../core/cost/money.js';
import type { TooFewDays } from '../../core/money/forecast/forecast.js';
import type { DailySpend } from '../../core/money/ledger/daily.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { fact } from '../kit/lines.js';
import { type LedgerContext, recordsOf, unknownProject } from './spent.js';

export const projectArg = arg.text('PROJECT_ID', {
  optional: true,
  describe: 'project, as `archiver cost projects` shows them; all together when not given',
});

export interface SpendSeries {
  readonly project: string | null;
  readonly region: string | null;
  /** Past days, oldest first, from that of the first record on. */
  readonly days: readonly DailySpend[];
  /** The day before today. */
  readonly lastDay: string;
  /** All recorded costs, including today's; null when those of a day are not known. */
  readonly spentUsd: number | null;
}

/** Returns the last `days` days of a project, or of all. @throws not-found for a project that nothing is recorded for; access-denied, io */
export async function spendSeries(
  context: LedgerContext,
  {
    project,
    region,
    days,
  }: { readonly project: string | undefined; readonly region: string | undefined; readonly days: number },
): Promise<SpendSeries> {
  const { dailySpend } = await import('../../core/money/ledger/daily.js');
  const { dayOf, plusDays, startOf } = await import('../../core/money/ledger/days.js');
  const all = await recordsOf(context);
  const ofProject = all.filter((record) => project === undefined || record.project === project);
  if (project !== undefined && ofProject.length === 0)
    throw unknownProject(project, new Set(all.flatMap((record) => record.project ?? [])));
  const records = ofProject.filter((record) => region === undefined || record.region === region);
  const today = dayOf(context.now());
  const spent = dailySpend(records, { until: startOf(plusDays(today, 1)) });
  const costs = spent.map(({ costUsd }) => costUsd);
  return {
    project: project ?? null,
    region: region ?? null,
    days: spent.filter(({ day }) => day >= plusDays(today, -days) && day < today),
    lastDay: plusDays(today, -1),
    spentUsd: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}

/** Returns the cost of each day; null when it is not known. */
export const costsOf = ({ days }: SpendSeries): readonly (number | null)[] => days.map(({ costUsd }) => costUsd);

/** The keys that all of these documents begin with. */
export const seriesDocument = (series: SpendSeries) => ({
  project: series.project,
  region: series.region,
  knownDays: series.days.length - unknownOf(series),
  unknownDays: unknownOf(series),
  dailyCosts: series.days.map(({ day, costUsd }) => ({ day, costUsd: nearestUsd(costUsd) })),
});

const unknownOf = ({ days }: SpendSeries): number => days.filter(({ costUsd }) => costUsd === null).length;

/** `genome`, or `all projects`; with the region if one was chosen. */
export const subjectText = ({ project, region }: SpendSeries): string =>
  `${project === null ? 'all projects' : printable(project)}${region === null ? '' : ` in ${printable(region)}`}`;

/** Says that there are too few days for a forecast. */
export const tooFewText = ({ knownDays, neededDays }: TooFewDays): string =>
  `${formatQuantity(knownDays, 'day')} with known costs so far, today not counted: too few for a forecast, which takes ${neededDays}`;

/** The line about the days that a result is based on. */
export function daysFact(series: SpendSeries): string {
  const { days } = series;
  const unknownDays = unknownOf(series);
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  const unknown = unknownDays === 0 ? '' : `; ${formatQuantity(unknownDays, 'day')} left out whose costs are not known`;
  return fact('days', `${first} to ${last} (local calendar, today is not over)${unknown}`);
}

const CHART_COLUMNS = 60;

/** A line with a chart of the days; adjacent days are combined if there are more than fit. */
export async function chartFact(label: string, costs: readonly number[], note: string): Promise<string> {
  const { renderSparkline } = await import('../../ui/result-chart.js');
  const together = Math.ceil(costs.length / CHART_COLUMNS);
  const values = Array.from({ length: Math.ceil(costs.length / together) }, (_, index) =>
    Math.max(...costs.slice(index * together, (index + 1) * together)),
  );
  const highest = `${note}, highest ${formatUsd(Math.max(...costs))} a day`;
  return fact(label, await renderSparkline(values, CHART_COLUMNS, highest));
}
