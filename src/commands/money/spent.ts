// The common part of commands about recorded costs: reading the ledger, the period, tables of amounts.
import type { Clock, Messages, Origins } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { suggest } from '../../core/platform/text/suggest.js';
import { dashed } from '../../cli/rule.js';
import { ArchiverError, usageError } from '../../core/platform/failures/errors.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import type { LevelSource } from '../../core/money/ledger/level-sources.js';
import type { Amount, SpentGroup, SpentReport } from '../../core/money/ledger/report.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { shortUsd } from '../../ui/format-usd.js';
import { accessFlags } from '../kit/flags.js';
import { didYouMean, fact, firstLines, minuteText } from '../kit/lines.js';
import { column, numbers, tableText, type TableContext } from '../kit/table.js';
import { periodDocument, periodText } from './period-flags.js';
import type { ReadingContext, ReadRecords } from './read-records.js';
import { isLedgerShared } from './shared-ledger.js';

export const ESTIMATED =
  'Amounts are estimates from the prices that held: no free\ntier, and every run as if it were the first of its month.';

/**
 * Flags of what reads the ledger: how to reach the store of a shared one, and a region that limits the report. That one has a name of its own, as
 * the general setting `region` says where stores are and would hide records.
 */
export const ledgerFlags = {
  ...accessFlags,
  inRegion: flag.text({
    short: 'r',
    alias: 'region',
    placeholder: 'NAME',
    describe: 'only what was used in this region; every region when not given',
  }),
};

export type LedgerContext = ReadingContext & Clock & Pick<Messages, 'warn'> & Origins;

/** Refuses typed flags that say how to reach a shared ledger where there is none. @throws usage */
export function refuseIdleAccess({ settings, origins }: Pick<LedgerContext, 'settings' | 'origins'>): void {
  const typed = Object.keys(accessFlags).find((key) => origins[key] === 'flag');
  if (typed === undefined || isLedgerShared(settings)) return;
  throw usageError(
    `${dashed(typed)} can do nothing: the ledger is on this computer`,
    'costControl.ledgerStore (ARCHIVER_LEDGER_STORE) names a shared one',
  );
}

/** Returns the records of the ledger from `from` on, and warns of lines that cannot be read. @throws access-denied, io */
export async function recordsOf(
  context: ReadingContext & Pick<Messages, 'warn'>,
  region?: string,
  from?: Date,
): Promise<readonly LedgerRecord[]> {
  return (await recordedIn(context, region, from)).records;
}

/** The same with the number of the lines that cannot be read. @throws access-denied, io */
export async function recordedIn(
  context: ReadingContext & Pick<Messages, 'warn'>,
  region?: string,
  from?: Date,
): Promise<ReadRecords> {
  const { readRecords } = await import('./read-records.js');
  const { records, unreadLines, folder, place } = await readRecords(context, from);
  if (unreadLines > 0)
    context.warn(
      `${formatQuantity(unreadLines, 'line')} of ${printable(place)} cannot be read, and the cost of that is not counted`,
    );
  const own = region === undefined ? records : records.filter((record) => record.region === region);
  return { records: own, unreadLines, folder, place };
}

/** The error for a project without records; `known` are the projects that have some. */
export function unknownProject(project: string, known: ReadonlySet<string>): ArchiverError {
  const near = suggest(project, [...known]);
  return new ArchiverError('not-found', `nothing is recorded for project ${printable(project)}${didYouMean(near)}`, {
    hint: 'archiver cost projects',
  });
}

/** Formats an amount; if only part of it is known, says how much that is. */
export const amountOf = ({ costUsd, knownUsd }: Pick<SpentGroup, 'costUsd' | 'knownUsd'>): string =>
  costUsd === null && knownUsd > 0 ? `at least ${shortUsd(knownUsd)}` : shortUsd(costUsd);

/** `12.5`, with as many digits as tell something. */
export const gbMonthsText = (gbMonths: number): string =>
  gbMonths >= 100 ? formatCount(Math.round(gbMonths)) : gbMonths > 0 && gbMonths < 0.01 ? '<0.01' : gbMonths.toFixed(2);

/** Columns of what was used and what it cost. */
export const USED_COLUMNS = [
  numbers<Pick<SpentGroup, 'gbMonths'>>('GB-MONTHS', ({ gbMonths }) => gbMonthsText(gbMonths), { dropOrder: 2 }),
  numbers<Pick<SpentGroup, 'requestCount'>>('REQUESTS', ({ requestCount }) => formatCount(requestCount), {
    dropOrder: 1,
  }),
];

/**
 * A table of amounts by a key of the lines, the dearest first; what was used of a store at a price that is not known is a line of its own. Empty
 * when there are none.
 */
export async function amountTable(
  title: string,
  key: 'item' | 'project' | 'region' | 'storageClass' | 'store',
  { lines, unpriced }: Pick<SpentReport, 'lines' | 'unpriced'>,
  context: TableContext,
): Promise<string> {
  const { isUnpriced, spentBy } = await import('../../core/money/ledger/report.js');
  const groups: readonly SpentGroup[] = spentBy(
    lines.filter((line) => !isUnpriced(line)),
    key,
  );
  const rows = [
    ...groups.map((group) => ({ ...group, label: group.name === null ? 'none' : printable(group.name) })),
    ...unpriced.map((group) => ({ ...group, label: `${printable(group.name)} (no price)` })),
  ];
  if (rows.length === 0) return '';
  type Row = (typeof rows)[number];
  const columns = [
    column<Row>(title, ({ label }) => label, { isCuttable: true }),
    ...USED_COLUMNS,
    numbers<Row>('COST', (group) => amountOf(group)),
  ];
  return `\n${await tableText(rows, columns, context)}`;
}

/** `12.50 GB-months; 1,204 requests: put 800, get 404; 3.0 GiB sent out, 1.0 GiB retrieved`. */
export function usedText({
  gbMonths,
  requestCount,
  requestsByKind,
  transferredBytes,
  retrievedBytes,
}: SpentReport): string {
  const kinds = Object.entries(requestsByKind).map(([kind, count]) => `${kind} ${formatCount(count)}`);
  const moved = [
    ...(transferredBytes > 0 ? [`${formatBytes(transferredBytes)} sent out`] : []),
    ...(retrievedBytes > 0 ? [`${formatBytes(retrievedBytes)} retrieved`] : []),
  ];
  return [
    `${gbMonthsText(gbMonths)} GB-months`,
    `${formatQuantity(requestCount, 'request')}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`}`,
    ...(moved.length === 0 ? [] : [moved.join(', ')]),
  ].join('; ');
}

/** A report, and what it was made from. */
export interface Spent {
  readonly report: SpentReport;
  /** All records, of other projects and regions, too: they tell when a store was measured. */
  readonly all: readonly LedgerRecord[];
  readonly unreadLines: number;
}

const storesOf = ({ lines, stored }: SpentReport): ReadonlySet<string> =>
  new Set([...lines, ...stored].map(({ store }) => store));

/** Where what is stored is known from. */
async function sourcesOf({ report, all }: Spent): Promise<readonly LevelSource[]> {
  const { levelSources } = await import('../../core/money/ledger/level-sources.js');
  return levelSources(all, storesOf(report), report.period);
}

function sourceText({ url, computedFrom, measuredAt, measuredBy }: LevelSource): string {
  const from = `${printable(url)}: computed from records since ${minuteText(computedFrom)}`;
  return measuredAt === null
    ? `${from}, never measured (archiver cost rebase)`
    : `${from}, measured ${minuteText(measuredAt)} by ${measuredBy}, computed since`;
}

/** Lines about what is not known for certain: prices, levels, records. */
export async function doubtFacts(spent: Spent): Promise<readonly string[]> {
  const { report, unreadLines } = spent;
  return [
    ...report.unpriced.map((store) =>
      fact(
        'no price',
        `${printable(store.name)}: ${gbMonthsText(store.gbMonths)} GB-months, ${formatQuantity(store.requestCount, 'request')}`,
      ),
    ),
    ...firstLines((await sourcesOf(spent)).map((source) => fact('levels', sourceText(source)))),
    ...(unreadLines === 0
      ? []
      : [fact('unread', `${formatQuantity(unreadLines, 'line')} of the ledger, whose cost is not counted`)]),
  ];
}

/** The lines at the head of a report. */
export async function spentFacts(spent: Spent): Promise<readonly string[]> {
  const { report } = spent;
  const { period, runs, uploads, files, bytes, storedBytes, pricesOf } = report;
  return [
    `${amountOf(report)} in ${formatQuantity(runs, 'run')}`,
    fact('period', await periodText(period)),
    fact('used', usedText(report)),
    fact('uploaded', `${formatQuantity(files, 'file')}, ${formatBytes(bytes)} in ${formatQuantity(uploads, 'upload')}`),
    fact('stored', `${formatBytes(storedBytes)} at the end`),
    ...(pricesOf.length === 0 ? [] : [fact('prices', `of ${pricesOf.join(', ')}`)]),
    ...(await doubtFacts(spent)),
  ];
}

/** The part of an amount that each line of JSON has. */
export const amountDocument = ({ costUsd, knownUsd, gbMonths, requestCount }: Amount) => {
  return { costUsd, knownUsd, gbMonths, requestCount };
};

/** What was used, and how well it is known, as JSON. */
export async function usedDocument(spent: Spent) {
  const { report, unreadLines } = spent;
  const { requestsByKind, transferredBytes, retrievedBytes, unpriced } = report;
  return {
    ...amountDocument(report),
    requestsByKind,
    transferredBytes,
    retrievedBytes,
    unpricedStores: unpriced.map(({ name: url, gbMonths, requestCount }) => ({ url, gbMonths, requestCount })),
    levels: await sourcesOf(spent),
    unreadLines,
  };
}

/** The report as JSON. */
export async function spentDocument(spent: Spent) {
  const { spentBy } = await import('../../core/money/ledger/report.js');
  const { period, lines, pricesOf, runs, uploads, files, bytes, storedBytes } = spent.report;
  return {
    ...(await periodDocument(period)),
    ...(await usedDocument(spent)),
    runs,
    uploadCount: uploads,
    files,
    bytes,
    storedBytes,
    costByItem: spentBy(lines, 'item').map(({ name: item, ...amount }) => ({ item, ...amountDocument(amount) })),
    costByProject: spentBy(lines, 'project').map(({ name, ...amount }) => ({
      project: name,
      ...amountDocument(amount),
    })),
    costByRegion: spentBy(lines, 'region').map(({ name, ...amount }) => ({ region: name, ...amountDocument(amount) })),
    costByClass: spentBy(lines, 'storageClass').map(({ name, ...amount }) => {
      return { storageClass: name, ...amountDocument(amount) };
    }),
    costByStore: spentBy(lines, 'store').map(({ name: url, ...amount }) => ({ url, ...amountDocument(amount) })),
    priceDates: pricesOf,
  };
}
