import { defineCommand } from '../../../cli/command.js';
import type { Clock, Messages, Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { dayOf } from '../../../core/money/ledger/days.js';
import { usdOf } from '../../../core/money/ledger/micros.js';
import type { UploadHistoryRecord } from '../../../core/money/ledger/upload-history.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity, formatRatio } from '../../../ui/format.js';
import { shortUsd } from '../../../ui/format-usd.js';
import { uploadHistoryFlag } from '../../kit/ledger-flags.js';
import { chosenPeriod, rangeFlags, rangeRules } from '../period-flags.js';
import { column, moments, numbers, tableText, type TableContext } from '../../kit/table.js';

// For a sync, `bytes` counts the whole version while the other sizes count only what was sent: it has no ratio and no rate.
const isSent = ({ parameters }: UploadHistoryRecord): boolean => parameters.changesOnly !== true;
const ratioOf = (one: UploadHistoryRecord): number | null =>
  isSent(one) && one.storedBytes > 0 ? one.bytes / one.storedBytes : null;
const rateOf = (one: UploadHistoryRecord): number | null =>
  isSent(one) && one.durationMs > 0 ? Math.round((one.bytes * 1000) / one.durationMs) : null;
const text = (value: number | null, textOf: (value: number) => string): string | undefined =>
  value === null ? undefined : textOf(value);

const COLUMNS = [
  moments<UploadHistoryRecord>('WHEN', ({ time }) => time),
  column<UploadHistoryRecord>('WHAT', ({ operation }) => printable(operation), { dropOrder: 6 }),
  numbers<UploadHistoryRecord>('FILES', ({ files }) => formatCount(files)),
  numbers<UploadHistoryRecord>('SIZE', ({ bytes }) => formatBytes(bytes)),
  numbers<UploadHistoryRecord>('RATIO', (one) => text(ratioOf(one), (ratio) => formatRatio(ratio, 2)), {
    dropOrder: 4,
  }),
  numbers<UploadHistoryRecord>('RATE', (one) => text(rateOf(one), (rate) => `${formatBytes(rate)}/s`), {
    dropOrder: 3,
  }),
  column<UploadHistoryRecord>('CLASS', ({ parameters }) => parameters.storageClass, {
    isCuttable: false,
    dropOrder: 2,
  }),
  numbers<UploadHistoryRecord>('REQUESTS', ({ requests }) => formatCount(requests), { dropOrder: 5 }),
  numbers<UploadHistoryRecord>('COST', ({ costMicros }) => shortUsd(usdOf(costMicros)), { dropOrder: 1 }),
  numbers<UploadHistoryRecord>('A MONTH', ({ monthlyMicros }) => shortUsd(usdOf(monthlyMicros))),
];

export const command = defineCommand({
  path: 'cost history',
  summary: 'list the history of uploads',
  description:
    'A history is kept only where it was asked for: ARCHIVER_UPLOAD_HISTORY=1 (or the path of a file), costControl.uploadHistory ' +
    'in the config file, or --upload-history. It holds sizes, settings, times and costs of uploads that were committed, and no ' +
    'names, paths or ids.',
  flags: {
    limit: flag.int([0], { default: 20, describe: 'only the newest ones; 0 shows all' }),
    ...rangeFlags,
    ...uploadHistoryFlag,
  },
  rules: [...rangeRules],
  examples: ['archiver cost history', 'archiver cost history --limit 0 --json'],
  exits: { 0: 'listed; also when there is none', 1: 'the history cannot be read' },
  async run(values, _args, context: Results<'cost history'> & Clock & Messages & Places & TableContext) {
    const { historyFile, readHistory } = await import('../../../core/money/ledger/upload-history.js');
    const path =
      historyFile(values.uploadHistory, context.home, context.cwd) ?? historyFile('1', context.home, '') ?? '';
    const { found: all, skipped } = await readHistory(path);
    const { from, until } = await chosenPeriod({ ...values, period: 'all' }, context);
    const found = all.filter(({ time }) => {
      const day = dayOf(new Date(time));
      return (from === undefined || day >= from) && day < until;
    });
    if (skipped > 0) context.warn(`${formatQuantity(skipped, 'line')} of ${printable(path)} cannot be read`);
    const shown = values.limit === 0 ? found : found.slice(-values.limit);
    const table = await tableText(shown, COLUMNS, context);
    context.result(
      { historyFile: path, uploadCount: found.length, unreadLines: skipped, history: shown.map(historyDocument) },
      () => (all.length === 0 ? 'no history of uploads is kept; see archiver cost history --help\n' : table),
    );
  },
});

function historyDocument(record: UploadHistoryRecord) {
  const { time: endedAt, costMicros, monthlyMicros, requests: requestCount, ...rest } = record;
  const amounts = { costUsd: usdOf(costMicros), monthlyUsd: usdOf(monthlyMicros) };
  return {
    endedAt,
    ...rest,
    requestCount,
    compressionRatio: ratioOf(record),
    bytesPerSecond: rateOf(record),
    ...amounts,
  };
}
