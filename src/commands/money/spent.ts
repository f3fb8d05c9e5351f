// The common part of commands about recorded costs: reading the ledger, the period, tables of amounts.
import type { Clock, Messages, Origins, Places } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { suggest } from '../../core/platform/text/suggest.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { type Period, type PeriodName, PERIODS } from '../../core/money/ledger/period.js';
import type { SpentGroup, SpentReport } from '../../core/money/ledger/report.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { shortUsd } from '../../ui/format-usd.js';
import { didYouMean, fact } from '../kit/lines.js';
import { column, numbers, tableText, type TableContext } from '../kit/table.js';
import type { ReadRecords } from './read-records.js';

export const ESTIMATED =
  'Amounts are estimates from the prices that held: no free tier, and every run as if it were the first of its month.';

/** Limits a report to a region. It has a name of its own, as the general setting `region` says where stores are and would hide records. */
export const recordedRegionFlag = {
  inRegion: flag.text({
    short: 'r',
    alias: 'region',
    placeholder: 'NAME',
    describe: 'only what was used in this region; every region when not given',
  }),
};

export const periodFlag = <const D extends PeriodName>(defaultPeriod: D) => ({
  period: flag.choice(PERIODS, {
    default: defaultPeriod,
    describe: 'days of the local calendar; weeks begin on Monday, and one that is not over ends today',
  }),
});

export type LedgerContext = Pick<Places, 'home'> & Clock & Pick<Messages, 'warn'> & Origins;

/** Returns the records of the ledger from `from` on, and warns of lines that cannot be read. @throws access-denied, io */
export async function recordsOf(
  context: Pick<Places, 'home'> & Pick<Messages, 'warn'>,
  region?: string,
  from?: Date,
): Promise<readonly LedgerRecord[]> {
  return (await recordedIn(context, region, from)).records;
}

/** The same with the number of the lines that cannot be read. @throws access-denied, io */
export async function recordedIn(
  context: Pick<Places, 'home'> & Pick<Messages, 'warn'>,
  region?: string,
  from?: Date,
): Promise<ReadRecords> {
  const { readRecords } = await import('./read-records.js');
  const { records, unreadLines, folder } = await readRecords(context, from);
  if (unreadLines > 0)
    context.warn(
      `${formatQuantity(unreadLines, 'line')} of ${printable(folder)} cannot be read, and the cost of that is not counted`,
    );
  const own = region === undefined ? records : records.filter((record) => record.region === region);
  return { records: own, unreadLines, folder };
}

/** The error for a project without records; `known` are the projects that have some. */
export function unknownProject(project: string, known: ReadonlySet<string>): ArchiverError {
  const near = suggest(project, [...known]);
  return new ArchiverError('not-found', `nothing is recorded for project ${printable(project)}${didYouMean(near)}`, {
    hint: 'archiver cost projects',
  });
}

/** `month to date, 2026-03-01 to 2026-03-31 (Europe/Berlin)`. */
export async function periodText({ name, from, until, timeZone }: Period): Promise<string> {
  const { plusDays } = await import('../../core/money/ledger/days.js');
  const last = plusDays(until, -1);
  const first = from ?? 'the first record';
  const days = first === last ? last : `${first} to ${last}`;
  return `${name.replace('_', ' ')}, ${days} (${timeZone})`;
}

/** The period as JSON. */
export async function periodDocument({ name, from, until, timeZone }: Period) {
  const { plusDays } = await import('../../core/money/ledger/days.js');
  return { period: name, firstDay: from ?? null, lastDay: plusDays(until, -1), timeZone };
}

/** Formats an amount; if only part of it is known, says how much that is. */
export const amountOf = ({ costUsd, knownUsd }: Pick<SpentGroup, 'costUsd' | 'knownUsd'>): string =>
  costUsd === null && knownUsd > 0 ? `unknown, at least ${shortUsd(knownUsd)}` : shortUsd(costUsd);

/** A table of amounts under a title; empty when there are none. */
export async function amountTable(
  title: string,
  groups: readonly SpentGroup[],
  context: TableContext,
  nameOf: (name: string | null) => string = (name) => (name === null ? 'none' : printable(name)),
): Promise<string> {
  if (groups.length === 0) return '';
  const columns = [
    column<SpentGroup>(title, ({ name }) => nameOf(name), { isCuttable: true }),
    numbers<SpentGroup>('COST', (group) => amountOf(group)),
  ];
  return `\n${await tableText(groups, columns, context)}`;
}

/** The lines at the head of a report. */
export async function spentFacts(report: SpentReport): Promise<readonly string[]> {
  const { period, runs, uploads, files, bytes, storedBytes, pricesOf } = report;
  return [
    `${amountOf(report)} in ${formatQuantity(runs, 'run')}`,
    fact('period', await periodText(period)),
    fact('uploaded', `${formatQuantity(files, 'file')}, ${formatBytes(bytes)} in ${formatQuantity(uploads, 'upload')}`),
    fact('stored', `${formatBytes(storedBytes)} at the end`),
    ...(pricesOf.length === 0 ? [] : [fact('prices', `of ${pricesOf.join(', ')}`)]),
  ];
}

/** The report as JSON. */
export async function spentDocument({ period, lines, pricesOf, ...report }: SpentReport) {
  const { spentBy } = await import('../../core/money/ledger/report.js');
  const { costUsd, knownUsd, runs, uploads, files, bytes, storedBytes } = report;
  return {
    ...(await periodDocument(period)),
    costUsd,
    knownUsd,
    runs,
    uploadCount: uploads,
    files,
    bytes,
    storedBytes,
    costByItem: spentBy(lines, 'item').map(({ name: item, ...amount }) => ({ item, ...amount })),
    costByProject: spentBy(lines, 'project').map(({ name: project, ...amount }) => ({ project, ...amount })),
    costByRegion: spentBy(lines, 'region').map(({ name: region, ...amount }) => ({ region, ...amount })),
    costByClass: spentBy(lines, 'storageClass').map(({ name: storageClass, ...amount }) => ({
      storageClass,
      ...amount,
    })),
    costByStore: spentBy(lines, 'store').map(({ name: url, ...amount }) => ({ url, ...amount })),
    priceDates: pricesOf,
  };
}
