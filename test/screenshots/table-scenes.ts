// The tables of commands about money and fleets, each with what its JSON says must stand in it.
import { fineUsd, formatUnitUsd, formatUsd, shortUsd } from '../../src/ui/format-usd.js';
import { openSession } from '../support/terminal-session.js';
import { CLOCK, type World } from './scene.js';
import { CLI } from '../e2e/upload-cli.js';

type Json = Readonly<Record<string, unknown>>;

/** Something that stands whole in the text, in one of these forms, unless the last line says that its column has no room. */
export interface Shown {
  readonly column?: string;
  readonly forms: readonly string[];
}

export interface TableScene {
  /** `cost-pricing` goes to `table-cost-pricing.txt`. */
  readonly name: string;
  readonly args: readonly string[];
  readonly shows: (document: Json) => readonly Shown[];
  /** Its picture is not compared: sizes of what is compressed differ from time to time. */
  readonly varies?: boolean;
}

export const TABLE_WIDTHS = [60, 80, 120] as const;

const LONG = 'a-project-with-quite-a-long-name-of-the-second-floor';
const listIn = (document: Json, key: string): readonly Json[] => document[key] as readonly Json[];
const recordIn = (document: Json, key: string): Json => document[key] as Json;

/** An amount of USD in the forms that tables have for it. */
function usd(value: unknown, column?: string): Shown {
  const amount = typeof value === 'number' ? value : null;
  const forms = [formatUsd, shortUsd, fineUsd, formatUnitUsd].map((form) => form(amount));
  const isSmall = amount !== null && Math.abs(amount) < 0.01;
  // Two digits of what is below a cent; and JSON has whole millionths where the text may have less.
  const small = isSmall ? [formatUnitUsd(Number(amount.toPrecision(2)))] : [];
  const tiny = isSmall ? Array.from({ length: 21 }, (_, at) => fineUsd(amount + (at - 10) * 1e-7)) : [];
  return { ...(column !== undefined && { column }), forms: [...new Set([...forms, ...small, ...tiny])] };
}

const word = (text: unknown, column?: string): Shown => ({
  ...(column !== undefined && { column }),
  forms: [String(text)],
});

const percent = (value: unknown, column?: string): Shown => word(`${String(value)}%`, column);

/** What is known of an amount, where a store without prices is a line of its own. */
const known = ({ costUsd, knownUsd }: Json): unknown => costUsd ?? knownUsd;

const spent = (document: Json): readonly Shown[] => [
  usd(known(document)),
  ...['costByItem', 'costByProject', 'costByClass', 'costByRegion'].flatMap((key) =>
    listIn(document, key)
      .filter((group) => group['costUsd'] !== null || group['knownUsd'] !== 0)
      .map((group) => usd(known(group), 'COST')),
  ),
  ...listIn(document, 'unpricedStores').map(() => word('unknown', 'COST')),
];

const evidence = (document: Json): readonly Shown[] => {
  const budget = recordIn(recordIn(document, 'budget'), 'costUsage');
  return [
    usd(known(document)),
    ...[...listIn(document, 'directCosts'), ...listIn(document, 'costByMonth')].map((line) => usd(known(line), 'COST')),
    ...[...new Set(listIn(document, 'directCosts').map(({ category }) => category))].map((category) => word(category)),
    ...['limit', 'used', 'remaining'].map((key) => usd(budget[key])),
  ];
};

const STATES: Readonly<Record<string, string>> = {
  ok: '● ok',
  projected: '▲ will exceed the limit at this rate',
  warning: '▲ above the alert threshold',
  critical: '✗ used up',
};

const usage = (document: Json): readonly Shown[] => {
  const { limit, used, usedPercent, perDay, projected, alertState } = recordIn(document, 'costUsage');
  return [usd(limit), usd(used), percent(usedPercent), usd(perDay), usd(projected), word(STATES[String(alertState)])];
};

const kept = ({ monthlyUsd, yearlyUsd, uploadUsd, earlyDeletionUsd, minimumDays }: Json): readonly Shown[] => [
  usd(monthlyUsd),
  usd(yearlyUsd),
  usd(uploadUsd),
  ...(minimumDays === 0 ? [] : [usd(earlyDeletionUsd)]),
];

const SEVERE = { healthy: '● healthy', failing: '✗ failing', stale: '▲ stale', missing: '▲ missing' };

export const TABLE_SCENES: readonly TableScene[] = [
  {
    name: 'cost-pricing',
    args: ['cost', 'pricing', '--region', 'us-west-2'],
    shows: (document) =>
      listIn(document, 'classPrices').flatMap((row) => [
        word(row['storageClass']),
        ...(row['storage'] as readonly Json[]).map((band) => usd(band['usd'])),
        ...(row['putPer1000'] === null ? [] : [usd(row['putPer1000'], 'PUT/1000')]),
        ...(row['getPer1000'] === null ? [] : [usd(row['getPer1000'], 'GET/1000')]),
        ...(row['transitionPer1000'] === null ? [] : [usd(row['transitionPer1000'], 'MOVE/1000')]),
        ...Object.values(recordIn(row, 'retrievalPerGb')).map((rate) => usd(rate, 'RETRIEVAL/GB')),
        ...Object.values(recordIn(row, 'retrievalRequestPer1000')).map((rate) => usd(rate, 'ASKED BACK/1000')),
      ]),
  },
  {
    name: 'cost-estimate',
    args: ['cost', 'estimate', '--size', '7PB', '--storage-class', 'GLACIER'],
    shows: kept,
  },
  { name: 'cost-estimate-small', args: ['cost', 'estimate', '--size', '3KB'], shows: kept },
  {
    name: 'cost-estimate-download',
    args: ['cost', 'estimate', '--size', '7PB', '--storage-class', 'GLACIER', '--operation', 'download'],
    shows: (document) =>
      listIn(document, 'restores').flatMap(({ tier, costUsd, leastUsd }) => [word(tier), usd(costUsd), usd(leastUsd)]),
  },
  {
    name: 'estimate',
    varies: true,
    args: ['estimate', 'source', '--progress-format', 'none'],
    shows: (document) =>
      listIn(document, 'classEstimates').flatMap(({ storageClass, monthlyUsd, yearlyUsd, uploadUsd }) => [
        word(storageClass),
        usd(monthlyUsd, 'MONTH'),
        usd(yearlyUsd, 'YEAR'),
        usd(uploadUsd, 'UPLOAD'),
      ]),
  },
  { name: 'cost-report', args: ['cost', 'report'], shows: spent },
  { name: 'cost-project', args: ['cost', 'project', LONG], shows: spent },
  {
    name: 'cost-projects',
    args: ['cost', 'projects'],
    shows: (document) =>
      listIn(document, 'projects').map((row) => usd(row['knownUsd'] === 0 ? row['costUsd'] : known(row), 'COST')),
  },
  {
    name: 'cost-summary',
    args: ['cost', 'summary'],
    shows: (document) => listIn(document, 'tagged').map((row) => usd(known(row), 'COST')),
  },
  {
    name: 'cost-history',
    args: ['cost', 'history'],
    shows: (document) =>
      listIn(document, 'history').flatMap(({ endedAt, costUsd, monthlyUsd }) => [
        word(String(endedAt).slice(0, 16).replace('T', ' '), 'WHEN (UTC)'),
        usd(costUsd, 'COST'),
        usd(monthlyUsd, 'A MONTH'),
      ]),
  },
  {
    name: 'cost-report-compliance',
    args: ['cost', 'report', '--format', 'compliance', '--text'],
    shows: evidence,
  },
  {
    name: 'cost-report-compliance-nih',
    args: ['cost', 'report', '--format', 'compliance', '--agency', 'NIH', '--budget', LONG, '--text'],
    shows: evidence,
  },
  {
    name: 'budget-list',
    args: ['budget', 'list'],
    shows: (document) =>
      listIn(document, 'budgets').flatMap((budget) => {
        const [cost, volume] = [recordIn(budget, 'costUsage'), recordIn(budget, 'volumeUsage')];
        return [
          usd(cost['used'], 'COST'),
          ...(cost['limit'] === 0 ? [] : [usd(cost['limit'], 'COST'), percent(cost['usedPercent'], 'COST')]),
          ...(volume['limit'] === 0 ? [] : [percent(volume['usedPercent'], 'VOLUME')]),
          word(cost['alertState'], 'COST IS'),
          word(volume['alertState'], 'VOLUME IS'),
        ];
      }),
  },
  { name: 'budget-status', args: ['budget', 'status', LONG], shows: usage },
  { name: 'budget-status-global', args: ['budget', 'status', '--global'], shows: usage },
  {
    name: 'budget-status-small',
    args: ['budget', 'status', 'Größenänderung-項目-データ-αβγ'],
    shows: usage,
  },
  {
    name: 'cost-forecast',
    args: ['cost', 'forecast'],
    shows: (document) => [
      usd(document['storedPerDayUsd']),
      ...listIn(document, 'predictions').flatMap((prediction) => [
        word(prediction['lastDay'], 'UNTIL'),
        usd(prediction['storedUsd'], 'STORED'),
        usd(prediction['expectedUsd'], 'EXPECTED'),
        ...listIn(prediction, 'intervals').flatMap(({ level, lowUsd, highUsd }) =>
          [lowUsd, highUsd].map((end) => usd(end, `${Math.round(Number(level) * 100)}%`)),
        ),
      ]),
    ],
  },
  {
    name: 'cost-exhaustion',
    args: ['cost', 'exhaustion', '--budget', '123456789.12', '--spent', '9'],
    shows: ({ budgetUsd, spentUsd, leftUsd, expectedUsd, storedPerDayUsd, date, storedDate }) => [
      ...[budgetUsd, spentUsd, leftUsd, expectedUsd, storedPerDayUsd].map((amount) => usd(amount)),
      ...[date, storedDate].filter((one) => one !== null).map((one) => word(one)),
    ],
  },
  {
    name: 'cost-burnrate',
    args: ['cost', 'burnrate'],
    shows: ({ perDayUsd, perMonthUsd, oncePerDayUsd, knownUsd, highestDayUsd, storedPerDayUsd, trend }) => [
      ...[perDayUsd, perMonthUsd, oncePerDayUsd, knownUsd, highestDayUsd, storedPerDayUsd].map((amount) => usd(amount)),
      word(trend),
    ],
  },
  {
    name: 'cost-reconcile',
    args: ['cost', 'reconcile', '--cur', 'cur.csv'],
    shows: (document) => [
      ...['recordedUsd', 'billedUsd', 'totalUsd', 'creditsUsd', 'refundsUsd', 'taxesUsd'].map((key) =>
        usd(document[key]),
      ),
      ...listIn(document, 'billLines')
        .filter(({ goesTo }) => goesTo !== 'notOurs')
        .flatMap(({ item, recordedUsd, billedUsd, differenceUsd }) => [
          word(item),
          usd(recordedUsd, 'RECORDED'),
          usd(billedUsd, 'BILLED'),
          usd(differenceUsd, 'DIFFERENCE'),
        ]),
      ...listIn(document, 'billProjects').flatMap(({ recordedUsd, billedUsd, sharedUsd }) => [
        usd(recordedUsd, 'RECORDED'),
        usd(billedUsd, 'BILLED'),
        usd(sharedUsd, 'SHARED BY USE'),
      ]),
    ],
  },
  {
    name: 'cost-rebase',
    args: ['cost', 'rebase', 's3://acme-archive/lab', '--dry-run'],
    shows: (document) => [
      usd(recordIn(document, 'recorded')['monthlyUsd']),
      usd(recordIn(document, 'measured')['monthlyUsd']),
      ...listIn(document, 'corrections').flatMap((row) => [
        word(row['storageClass'], 'CLASS'),
        usd(recordIn(row, 'recorded')['monthlyUsd'], 'A MONTH'),
        usd(recordIn(row, 'measured')['monthlyUsd'], 'NOW'),
      ]),
    ],
  },
  {
    name: 'fleet-status',
    args: ['fleet', 'status', 's3://acme-archive/fleet'],
    shows: (document) =>
      listIn(document, 'writers').map(({ condition }) => word(SEVERE[condition as keyof typeof SEVERE], 'STATE')),
  },
];

/** What a terminal of that width shows in the end, and which of its rows were longer than it is wide. */
export async function drawTable(
  { cwd, env }: World,
  { args }: TableScene,
  columns: number,
): Promise<{ readonly text: string; readonly tooLong: readonly string[] }> {
  const session = openSession(['--import', CLOCK, CLI, ...args], { cwd, env, columns, rows: 60 });
  await session.exited;
  return { text: (await session.history()).join('\n'), tooLong: await session.tooLong() };
}

/** The picture of a scene in `docs/screens`: the same call in 80 and in 120 columns. */
export const tablePicture = ({ args }: TableScene, drawn: ReadonlyMap<number, string>): string =>
  [80, 120].map((columns) => `${columns} columns: archiver ${args.join(' ')}\n\n${drawn.get(columns)}\n`).join('\n');
