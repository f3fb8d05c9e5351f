import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Featured, MemoryLimit, Origins, Places, Results, Terminal } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import type { ProgressContext } from '../../cli/progress.js';
import type { PriceList } from '../../core/cost/price-table.js';
import type { EventSink } from '../../core/events/events.js';
import { filterFlags, listRule, outputFlags, storageClassFlag } from '../kit/flags.js';
import { priceFlags, priceRules } from './price-flags.js';
import type { EstimatedFolder, MeasuredRate } from './folder-estimate.js';
import type { PriceContext } from './chosen-prices.js';
import { isGiven, withProgress } from '../kit/run.js';
import { fitLines, tableText, type TableContext } from '../kit/table.js';

const { failFast: _failFast, ...whichFiles } = filterFlags;
const MB = 1e6;
/** Days for which measured rates count: earlier networks may have been different. */
const MEASURED_DAYS = 90;
const DAY_MS = 86_400_000;

const flags = {
  format: flag.choice(['table', 'json'], { short: 'f', default: 'table', describe: 'json is the same as --json' }),
  storageClass: {
    ...storageClassFlag,
    short: 's',
    describe: 'look at this class alone, unless --show-comparison is given',
  },
  bandwidth: flag.float([0], {
    placeholder: 'MB/s',
    default: 0,
    describe:
      'megabytes (10^6 bytes) a second that reach the store; 0: as many as with the last uploads of this computer',
  }),
  maxPrefixes: flag.int([4, 32, [0]], {
    default: 0,
    describe: 'most key prefixes (shards); 0: as many as an upload chooses',
  }),
  showComparison: flag.on({ describe: 'all storage classes side by side, also with --storage-class' }),
  showParallel: flag.on({
    default: true,
    describe: 'requests at a time and prefixes',
    off: 'leave out requests at a time and prefixes',
  }),
  showRecommendations: flag.on({
    default: true,
    describe: 'classes that cost less, and what they save',
    off: 'leave out classes that cost less',
  }),
  showUploadOptimization: flag.on({
    default: true,
    describe: 'what packing saves',
    off: 'leave out what packing saves',
  }),
  ...whichFiles,
  ...priceFlags('us-east-1'),
  ...outputFlags,
};

type Context = Results<'estimate'> &
  Pick<Terminal, 'stdin'> &
  PriceContext &
  ProgressContext &
  TableContext &
  Origins &
  MemoryLimit &
  Pick<Places, 'cwd'> &
  Pick<Featured, 'settings'>;

export const command = defineCommand({
  path: 'estimate',
  summary: 'estimate what archiving a folder costs',
  description:
    'Goes through the folder as an upload would, with the same filters, and compresses up to 64 MiB of it, spread evenly, to ' +
    'find out how much smaller it becomes. Shows what each storage class costs a month and a year, the requests of the upload, and ' +
    'one full restore in each tier with transfer to the internet.\n' +
    'Amounts are the most that it costs: priced as if nothing else filled the cheaper bands of the account, and as if its free ' +
    'transfer were used up. `archiver upload --dry-run` says the same of one upload, and where it goes.\n' +
    'Without --bandwidth the time of the transfer is that of the last uploads of this computer (of 8 MiB or more, in the last 90 ' +
    'days, to the region where there are some, else to any of AWS), and where it has made none that of the others in the ledger ' +
    'that machines share (ARCHIVER_LEDGER_STORE); nothing is sent to measure it.',
  args: [arg.folder('PATH', { describe: 'folder to archive; the current one when not given', optional: true })],
  flags,
  rules: [...priceRules, listRule],
  examples: [
    'archiver estimate /data/run-0412',
    'archiver estimate ./photos --storage-class DEEP_ARCHIVE --bandwidth 40',
    'archiver estimate /data --exclude "*.tmp" --real-time-pricing --json',
  ],
  exits: {
    0: 'estimated, also where a price is not known',
    1: 'PATH is not there or cannot be read, or AWS does not give its prices',
    3: 'estimated, but some files cannot be read',
  },
  keepsMemoryLimit: () => true,
  async run(values, [path = '.'], context: Context) {
    const { CLASS_COLUMNS, folderEstimateDocument, folderLines, sectionLines } = await import('./folder-estimate.js');
    const { chosenPrices, warnOfRegion } = await import('./chosen-prices.js');
    const { documentLine } = await import('../../core/platform/json/document.js');
    const prices = await chosenPrices(values, context);
    await warnOfRegion(prices, context);
    const estimated = await withProgress(context, values, (emit) => {
      emit({ type: 'start', operation: 'estimate', source: path, target: '' });
      return estimatePath(path, { values, prices, context, emit });
    });
    const document = folderEstimateDocument(estimated, values);
    const table = await tableText(estimated.classes, CLASS_COLUMNS, context);
    const head = await fitLines(folderLines(estimated), context);
    const sections = await fitLines(sectionLines(estimated, values), context);
    context.result(document, () => (values.format === 'json' ? documentLine(document) : `${head}${table}${sections}`));
    return estimated.folder.skipped.some(({ special }) => !special) ? 3 : 0;
  },
});

interface Call {
  readonly values: Values<typeof flags>;
  readonly prices: PriceList;
  readonly context: Context;
  readonly emit: EventSink;
}

async function estimatePath(path: string, { values, prices, context, emit }: Call): Promise<EstimatedFolder> {
  const { filterOptions } = await import('../upload/engine-options.js');
  const { memoryLimit } = await import('../kit/memory-limit.js');
  const { estimateFolder } = await import('../../core/archive/estimate/estimate-folder.js');
  const { ownFolders, resolveSource } = await import('../../core/archive/scan/source-folder.js');
  const { classEstimate } = await import('../../core/cost/class-estimate.js');
  const { recommend } = await import('../../core/cost/recommend.js');
  const { billOf } = await import('../../core/cost/cost-model.js');
  const source = resolveSource(path, context.cwd);
  const folder = await estimateFolder({
    source,
    filter: await filterOptions(values, ownFolders(source, context.home), context),
    maxShards: values.maxPrefixes,
    memoryLimitBytes: memoryLimit(context, 'an upload'),
    emit,
    signal: context.signal,
  });
  const { storageClass } = values;
  const isSold = (name: string): boolean => name === storageClass || Object.hasOwn(prices.classes, name);
  const estimates = (storageClassFlag.type.choices ?? [])
    .filter(isSold)
    .map((name) => classEstimate(name, folder.chunks, prices));
  const base =
    estimates.find((one) => one.storageClass === storageClass) ?? classEstimate(storageClass, folder.chunks, prices);
  const isAlone = isGiven(context, 'storageClass') && !values.showComparison;
  const others = estimates.filter((one) => one !== base);
  const { bandwidth } = values;
  const measured = bandwidth === 0 ? await measuredRate(prices, context) : undefined;
  const onePut = { kind: 'put', storageClass, quantity: folder.files } as const;
  return {
    path,
    folder,
    prices,
    classes: isAlone ? [base] : [base, ...others],
    recommendations: recommend(base, others),
    filesUsd: billOf([['files', [onePut]]], prices).costUsd,
    bytesPerSecond: measured?.bytesPerSecond ?? (bandwidth === 0 ? undefined : bandwidth * MB),
    measured,
  };
}

/**
 * Returns the rate of recent uploads to such a store: by the ledger of this computer, as others have other networks, and where it has none by
 * the shared one, as a warning where that cannot be read. @throws access-denied, io
 */
async function measuredRate({ provider, region }: PriceList, context: Context): Promise<MeasuredRate | undefined> {
  const { sendingRate } = await import('../../core/money/ledger/sending-rate.js');
  const { isLedgerShared } = await import('./shared-ledger.js');
  const { recordedIn } = await import('./spent.js');
  const { errorText, isArchiverError } = await import('../../core/platform/failures/errors.js');
  const from = new Date(context.now().getTime() - MEASURED_DAYS * DAY_MS);
  const store = { isAws: provider === 'aws', region };
  const own = sendingRate((await recordedIn({ ...context, settings: {} }, undefined, from)).records, store);
  if (own !== undefined) return { ...own, ledger: 'local' };
  if (!isLedgerShared(context.settings)) return undefined;
  try {
    const { records, place } = await recordedIn(context, undefined, from);
    const shared = sendingRate(records, store);
    return shared && { ...shared, ledger: place };
  } catch (error) {
    if (!isArchiverError(error) || isArchiverError(error, 'usage')) throw error;
    context.warn(`the time of the transfer is not known, as the shared ledger cannot be read: ${errorText(error)}`);
    return undefined;
  }
}
