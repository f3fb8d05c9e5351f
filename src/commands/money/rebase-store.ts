// Compares the ledger with a store, and records what differs.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../cli/context.js';
import type { EventSink } from '../../core/events/events.js';
import { appendRecords } from '../../core/money/ledger/ledger.js';
import { ListedLevels } from '../../core/money/ledger/listed-levels.js';
import { usdOf } from '../../core/money/ledger/micros.js';
import { type Correction, type Rebase, rebaseOf, type StoredAmount } from '../../core/money/ledger/rebase.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { busyUploads } from '../../core/money/ledger/running.js';
import { shareRecords } from '../../core/money/ledger/shared-ledger.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatUsd, shortUsd } from '../../ui/format-usd.js';
import { DEFAULT_REGION } from '../kit/flags.js';
import { fact, minuteText } from '../kit/lines.js';
import type { StoreContext, StoreValues } from '../kit/store.js';
import { column, fitLines, numbers, tableText, type TableContext } from '../kit/table.js';
import type { FoundStore } from './analyze/analyze-call.js';
import { storePrices } from './analyze/store-prices.js';
import { type ReadingContext, type ReadRecords, readRecords } from './read-records.js';
import { type BudgetCorrection, budgetCorrection, NOTHING_CORRECTED } from './rebase-budgets.js';
import { openShared } from './shared-ledger.js';

const countedText = ({ objects, bytes }: StoredAmount): string => `${formatBytes(bytes)} (${formatCount(objects)})`;
const usdText = ({ monthlyMicros }: StoredAmount): string => shortUsd(usdOf(monthlyMicros));

const COLUMNS = [
  column<Correction>('PROJECT', ({ project }) => (project === null ? 'none' : printable(project)), {
    isCuttable: true,
  }),
  column<Correction>('CLASS', ({ storageClass }) => printable(storageClass), { isCuttable: false }),
  numbers<Correction>('RECORDED (OBJECTS)', ({ before }) => countedText(before)),
  numbers<Correction>('FOUND', ({ after }) => countedText(after)),
  numbers<Correction>('A MONTH', ({ before }) => usdText(before), { dropOrder: 1 }),
  numbers<Correction>('NOW', ({ after }) => usdText(after), { dropOrder: 2 }),
];

interface RebaseCall {
  readonly values: Omit<StoreValues, 'region'> & {
    readonly region: string | undefined;
    readonly inventory: string | undefined;
    readonly currentOnly: boolean;
    readonly allowEmpty: boolean;
    readonly dryRun: boolean;
    readonly ignoreBudget: boolean;
  };
  readonly context: StoreContext & Clock & ReadingContext & TableContext;
  readonly emit: EventSink;
}

/**
 * Lists the store, compares the ledger with it, and writes what differs. @throws unsupported, not-found and whatever else keeps the store from
 * being listed as a whole: nothing is written then; what `appendRecords` throws
 */
export async function rebaseStore(url: string, { values, context, emit }: RebaseCall) {
  const levels = new ListedLevels();
  const begunAt = context.now();
  const { inventory, dryRun } = values;
  const store = await foundStore(url, { values, context, emit }, levels);
  refusePart(store, values);
  const prices = storePrices(store, context);
  const at = store.analysis.inventory?.createdAt ?? begunAt;
  const by = inventory === undefined ? ('listing' as const) : ('inventory' as const);
  const { records, unreadLines, folder } = await readRecords(context);
  const { location, isFolder } = store;
  const measured = {
    place: location,
    by,
    at,
    groups: levels.all(),
    prices,
    region: isFolder ? null : (store.region ?? null),
    provider: isFolder ? 'folder' : prices.provider === 'aws' ? 'aws' : 'other',
    busy: await busyUploads(folder, hostname()),
  } as const;
  const rebase = rebaseOf(records, measured, randomBytes(8).toString('hex'));
  if (rebase.after.objects === 0 && !values.allowEmpty)
    throw new ArchiverError(
      'not-found',
      `nothing lies in ${printable(location)}, and the ledger has ${amountText(rebase.before)}`,
      {
        hint: 'see that the place is the right one and mounted; with --allow-empty it is recorded as empty',
      },
    );
  const { count: correctedBudgets, finished: finishedCorrections } = dryRun
    ? { count: 0, finished: 0 }
    : await write(rebase, { records, folder }, { values, context });
  const document = documentOf(rebase, {
    location,
    by,
    at,
    dryRun,
    correctedBudgets,
    finishedCorrections,
    unreadLines,
    requests: store.requests,
  });
  const table = rebase.corrections.length === 0 ? '' : `\n${await tableText(rebase.corrections, COLUMNS, context)}`;
  return { document, text: (await fitLines(lines(rebase, document), context)) + table };
}

async function foundStore(
  url: string,
  { values, context, emit }: RebaseCall,
  levels: ListedLevels,
): Promise<FoundStore> {
  const call = {
    values: { ...values, ...NO_ATHENA, region: values.region ?? DEFAULT_REGION },
    context,
    emit,
    onSeen: levels.add,
  };
  return values.inventory === undefined
    ? await (await import('./analyze/from-listing.js')).listedStore(url, call)
    : await (await import('./analyze/from-inventory.js')).inventoriedStore(url, values.inventory, call);
}

/** Writes what was found to the ledger, and corrects budgets by it. */
async function write(
  rebase: Rebase,
  { records, folder }: Pick<ReadRecords, 'records' | 'folder'>,
  { values, context }: Pick<RebaseCall, 'values' | 'context'>,
): Promise<Pick<BudgetCorrection, 'count' | 'finished'>> {
  const budgets = values.ignoreBudget
    ? NOTHING_CORRECTED
    : await budgetCorrection(rebase.records, records, { values, context });
  try {
    await shareAll(rebase.records, context);
    await appendRecords(folder, rebase.records, { host: hostname() });
    await budgets.make();
  } finally {
    budgets.close();
  }
  return budgets;
}

/** Shares the records; the last one when the others are there. */
async function shareAll(records: readonly LedgerRecord[], context: ReadingContext): Promise<void> {
  const opened = records.length === 0 ? undefined : await openShared(context.settings, context);
  if (opened === undefined) return;
  try {
    await shareRecords(opened.store, records.slice(0, -1), context.signal);
    await shareRecords(opened.store, records.slice(-1), context.signal);
  } finally {
    opened.close();
  }
}

const NO_ATHENA = {
  engine: 'local',
  sampling: false,
  sampleSize: 0,
  athenaDatabase: '',
  athenaTable: undefined,
  athenaWorkgroup: '',
  athenaOutputLocation: undefined,
  athenaMaxScan: undefined,
} as const;

/** @throws unsupported where not all that is billed was seen */
function refusePart({ analysis, location }: FoundStore, { currentOnly }: RebaseCall['values']): void {
  const { versionsHidden, inventory } = analysis;
  if (inventory?.hasClasses === false)
    throw new ArchiverError(
      'unsupported',
      'this inventory has no column StorageClass, by which the ledger keeps what is stored',
      {
        hint: 'add it to the configuration of the inventory, or list the bucket: leave out --inventory',
      },
    );
  if (!versionsHidden || currentOnly) return;
  const hint = 'if the bucket keeps no older versions, --current-only takes current objects for all';
  throw inventory === undefined
    ? new ArchiverError(
        'access-denied',
        `older versions in ${printable(location)} are billed and may not be listed (s3:ListBucketVersions)`,
        { hint },
      )
    : new ArchiverError('unsupported', 'this inventory is of current versions only, and older ones are billed, too', {
        hint,
      });
}

interface RebaseFacts {
  readonly location: string;
  readonly by: 'listing' | 'inventory';
  readonly at: Date;
  readonly dryRun: boolean;
  readonly correctedBudgets: number;
  readonly finishedCorrections: number;
  readonly unreadLines: number;
  readonly requests: FoundStore['requests'];
}

const amountDocument = ({ objects, bytes, monthlyMicros }: StoredAmount) => {
  return { objects, bytes, monthlyUsd: usdOf(monthlyMicros) };
};

function documentOf(
  rebase: Rebase,
  { location, by, at, dryRun, correctedBudgets, finishedCorrections, unreadLines, requests }: RebaseFacts,
) {
  const { corrections, before, after, left, records } = rebase;
  return {
    location,
    measuredBy: by,
    measuredAt: at.toISOString(),
    dryRun,
    isRecorded: !dryRun && records.length > 0,
    recorded: amountDocument(before),
    measured: amountDocument(after),
    corrections: corrections.map(({ store, project, region, storageClass, before: recorded, after: measured }) => {
      const amounts = { recorded: amountDocument(recorded), measured: amountDocument(measured) };
      return { url: store, project, region, storageClass, ...amounts };
    }),
    correctedBudgets,
    finishedCorrections,
    busyUploads: left,
    unreadLines,
    requests,
  };
}

const amountText = ({ objects, bytes, monthlyMicros }: StoredAmount): string =>
  `${formatBytes(bytes)} in ${formatQuantity(objects, 'object')}, ${formatUsd(usdOf(monthlyMicros))} a month`;

function lines({ corrections, before, after, left }: Rebase, about: ReturnType<typeof documentOf>): readonly string[] {
  const { location, measuredAt, measuredBy, dryRun, isRecorded, correctedBudgets, finishedCorrections, unreadLines } =
    about;
  const count = formatQuantity(corrections.length, 'amount');
  const outcome =
    corrections.length === 0
      ? `the ledger agrees with the store: nothing ${dryRun ? 'would be' : 'is'} corrected`
      : `${count} ${dryRun ? 'would be corrected; nothing is written' : 'corrected'}`;
  return [
    `${printable(location)}: ${outcome}`,
    fact(
      'found',
      `${minuteText(measuredAt)}, by ${measuredBy}${isRecorded || dryRun ? '' : '; measured today already'}`,
    ),
    fact('recorded', amountText(before)),
    fact('stored', amountText(after)),
    ...(correctedBudgets === 0 ? [] : [fact('budgets', `${formatCount(correctedBudgets)} corrected`)]),
    ...(finishedCorrections === 0
      ? []
      : [
          fact(
            'finished',
            `${formatQuantity(finishedCorrections, 'correction')} by earlier rebases that budgets had not counted`,
          ),
        ]),
    ...(left.length === 0
      ? []
      : [
          fact('left', `${formatQuantity(left.length, 'upload')} written meanwhile: ${left.map(printable).join(', ')}`),
        ]),
    ...(unreadLines === 0
      ? []
      : [fact('unread', `${formatQuantity(unreadLines, 'line')} of the ledger cannot be read`)]),
  ];
}
