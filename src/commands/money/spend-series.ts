// The common part of commands that forecast costs: the daily costs so far, and how they are shown.
import { arg } from '../../cli/arg.js';
import { nearestUsd, sumOf } from '../../core/cost/money.js';
import type { ComingDay, History, PastDay, TooFewDays } from '../../core/money/forecast/history.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { fact } from '../kit/lines.js';
import { type LedgerContext, recordsOf, refuseIdleAccess, unknownProject } from './spent.js';

export const projectArg = arg.text('PROJECT_ID', {
  optional: true,
  describe: 'project, as `archiver cost projects` shows them; all together when not given',
});

export interface SpendSeries {
  readonly project: string | null;
  readonly region: string | null;
  /** Past days, oldest first, from that of the first record on. */
  readonly days: readonly (PastDay & { readonly day: string })[];
  /** The day before today. */
  readonly lastDay: string;
  /** Today and the days after it, with the known cost of what is stored now. */
  readonly coming: readonly ComingDay[];
  /** What is recorded of today. */
  readonly today: { readonly once: number; readonly added: number };
  /** Stores with something whose price is not known: it is not in any amount. */
  readonly leftOutStores: readonly string[];
  /** All recorded costs, including today's; null when those of a day are not known. */
  readonly spentUsd: number | null;
}

export interface SpendQuery {
  readonly project: string | undefined;
  readonly region: string | undefined;
  /** Number of past days. */
  readonly days: number;
  /** Number of coming days, today included. */
  readonly coming: number;
}

/** Returns days of a project, or of all. @throws not-found for a project that nothing is recorded for; access-denied, io */
export async function spendSeries(
  context: LedgerContext,
  { project, region, days, coming }: SpendQuery,
): Promise<SpendSeries> {
  const { dailySpend } = await import('../../core/money/ledger/daily.js');
  const { dayOf, daysInMonthOf, plusDays, startOf } = await import('../../core/money/ledger/days.js');
  refuseIdleAccess(context);
  const all = await recordsOf(context);
  const ofProject = all.filter((record) => project === undefined || record.project === project);
  if (project !== undefined && ofProject.length === 0)
    throw unknownProject(project, new Set(all.flatMap((record) => record.project ?? [])));
  const today = dayOf(context.now());
  const end = startOf(plusDays(today, 1));
  // What a machine whose clock is ahead has recorded is counted from its day on, as reports do.
  const records = ofProject.filter(
    (record) => (region === undefined || record.region === region) && new Date(record.time) < end,
  );
  // The same days as in reports: those to come are priced by the function that prices those that are over.
  const daily = dailySpend(records, { until: startOf(plusDays(today, coming)) });
  const monthOf = (day: string): number => 1 / daysInMonthOf(day);
  const until = daily.filter(({ day }) => day <= today);
  const now = until.at(-1);
  const past = until.flatMap(({ day, onceUsd, addedMonthlyUsd, storedUsd }, index): SpendSeries['days'] => {
    if (day >= today || day < plusDays(today, -days)) return [];
    const isKnown = onceUsd !== null && addedMonthlyUsd !== null;
    const [once, added] = isKnown && index > 0 ? [onceUsd, addedMonthlyUsd] : [null, null];
    const month = monthOf(day);
    return [{ day, cost: isKnown ? onceUsd + storedUsd : null, once, added, monthly: storedUsd / month, month }];
  });
  const costs = until.map(({ costUsd }) => costUsd);
  return {
    project: project ?? null,
    region: region ?? null,
    days: past,
    lastDay: plusDays(today, -1),
    coming: daily.flatMap(({ day, storedUsd }) => (day < today ? [] : [{ stored: storedUsd, month: monthOf(day) }])),
    today: { once: now?.onceUsd ?? 0, added: now?.addedMonthlyUsd ?? 0 },
    leftOutStores: await unpricedStores(records),
    spentUsd: sumOf(costs),
  };
}

async function unpricedStores(records: readonly LedgerRecord[]): Promise<readonly string[]> {
  const { dayOf } = await import('../../core/money/ledger/days.js');
  const { StoredLevels } = await import('../../core/money/ledger/stored-levels.js');
  const levels = new StoredLevels();
  for (const record of records) levels.add(record, dayOf(new Date(record.time)));
  return levels.unpricedStores();
}

/** The history for a forecast that begins today. */
export const historyFromToday = ({ days, coming, today }: SpendSeries): History => ({
  past: days,
  coming,
  soFar: today,
});

/** The history for a forecast that begins tomorrow: today is spent, but not over, so statistics leave it out. */
export const historyFromTomorrow = ({ days, coming: [today, ...coming] }: SpendSeries): History => {
  const month = today?.month ?? 0;
  const unfinished = { cost: null, once: null, added: null, monthly: (today?.stored ?? 0) / (month || 1), month };
  return { past: [...days, unfinished], coming };
};

/** The keys that all of these documents begin with. */
export const seriesDocument = (series: SpendSeries) => ({
  project: series.project,
  region: series.region,
  knownDays: series.days.length - unknownOf(series),
  unknownDays: unknownOf(series),
  dailyCosts: series.days.map(({ day, cost }) => ({ day, costUsd: nearestUsd(cost) })),
  storedPerDayUsd: nearestUsd(series.coming[0]?.stored ?? 0),
  leftOutStores: series.leftOutStores,
});

const unknownOf = ({ days }: SpendSeries): number => days.filter(({ cost }) => cost === null).length;

/** `genome`, or `all projects`; with the region if one was chosen. */
export const subjectText = ({ project, region }: SpendSeries): string =>
  `${project === null ? 'all projects' : printable(project)}${region === null ? '' : ` in ${printable(region)}`}`;

/** Says that there are too few days for statistics. */
export const tooFewText = ({ knownDays, neededDays }: TooFewDays): string =>
  `${formatQuantity(knownDays, 'day')} with known costs so far, today not counted: too few for a forecast, which takes ${neededDays}`;

/** The lines about the days that a result is based on. */
export function daysFacts(series: SpendSeries): readonly string[] {
  const { days } = series;
  const unknownDays = unknownOf(series);
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return [
    fact('days', `${first} to ${last} (local calendar, today is not over)`),
    ...(unknownDays === 0
      ? []
      : [fact('unknown', `${formatQuantity(unknownDays, 'day')} left out whose costs are not known`)]),
  ];
}

/** The lines about what is stored: what it costs a day, and what has no known price. */
export const storedFacts = ({ coming: [today], leftOutStores }: SpendSeries): readonly string[] => [
  fact('stored', `${formatUsd(today?.stored ?? 0)} a day for what is stored now, until it is deleted`),
  ...leftOutStores.map((store) => fact('left out', `what is stored in ${printable(store)}: its prices are not known`)),
];

const CHART_COLUMNS = 40;

/** A line with a chart of the days; adjacent days are combined if there are more than fit. */
export async function chartFact(label: string, costs: readonly number[]): Promise<string> {
  const { renderSparkline } = await import('../../ui/result-chart.js');
  const together = Math.ceil(costs.length / CHART_COLUMNS);
  const values = Array.from({ length: Math.ceil(costs.length / together) }, (_, index) =>
    Math.max(...costs.slice(index * together, (index + 1) * together)),
  );
  return fact(label, await renderSparkline(values, CHART_COLUMNS, `highest ${formatUsd(Math.max(...costs))} a day`));
}
