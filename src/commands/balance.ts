import type { Clock, Results } from '../cli/context.js';
import { defineCommand } from '../cli/command.js';
import { flag, type Values } from '../cli/flag.js';
import type { ProgressContext } from '../cli/progress.js';
import { conflictsAcrossLayers } from '../cli/rule.js';
import type { Balanced } from '../core/mend/balance/balance-document.js';
import type { Analysis, BalancePlan } from '../core/mend/balance/plan-balance.js';
import type { ShardLoads } from '../core/mend/balance/shard-loads.js';
import type { StayReason } from '../core/mend/balance/staying-chunks.js';
import type { EventSink } from '../core/events/events.js';
import { documentLine } from '../core/platform/json/document.js';
import type { OpenedStore } from '../core/store/open-store.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatPercent, formatQuantity } from '../ui/format.js';
import { learnProjects, recordRunFacts } from './kit/account.js';
import { storeModeFlag, uploadArg, uploadTargetFlags, uploadTargetRules } from './kit/flags.js';
import { amountText, bytesOf, textOf } from './kit/lines.js';
import { stopwatch, withResult } from './kit/run.js';
import { type StoreContext, withStore } from './kit/store.js';
import { numbers, tableText, type TableContext } from './kit/table.js';
import { findUpload, uploadUrl } from './kit/upload-target.js';
import type { UploadId } from '../core/store/ids/upload-id.js';
import { exclusiveFlag } from './kit/guard-flags.js';

const REQUESTS_AT_ONCE = 8;

const REASONS: Readonly<Record<StayReason, string>> = {
  'other-upload': 'belong to other uploads; balance those',
  referred: 'stay: other uploads refer to them',
  writer: 'stay: the newest version of a writer, which expects its chunks where it put them',
  'storage-class': 'stay: they are not in STANDARD, where moving costs more than the move',
  'too-large': 'stay: larger than 5 GiB',
  doubled: 'stay: they were moved before, and another upload needs both copies',
  direct: 'stay: they are files that were uploaded directly',
  'foreign-key': 'stay: their keys are not those that archiver gives to chunks',
};

const flags = {
  ...uploadTargetFlags('us-west-2'),
  ...exclusiveFlag,
  ...storeModeFlag,
  threshold: flag.float([1], {
    placeholder: 'RATIO',
    default: 2,
    describe: 'imbalanced when the largest shard is more than this many times the average',
  }),
  dryRun: flag.on({ describe: 'show which chunks would move; change nothing' }),
  execute: flag.on({ describe: 'move chunks between shards' }),
  format: flag.choice(['table', 'json'], { short: 'f', default: 'table', describe: 'form of the result' }),
};

export const command = defineCommand({
  path: 'balance',
  summary: 'show how even the shards of an upload are, and even them out',
  description:
    'Compares the stored bytes of each shard with the average over all shards that the upload was made for, empty ones ' +
    'counted. Without --dry-run or --execute it only reads the manifest.\n' +
    '--execute copies chunks to other shards inside the store, verifies a manifest that names them there, and puts it in ' +
    'the place of the old one. The old objects stay, so that nothing that reads or continues the old manifest is ' +
    'disturbed, until `archiver dataset prune` marks them and, a day later, deletes them; until then they are stored ' +
    'twice. Interrupted, the upload stays readable, and the same command finishes. Chunks stay whole, so the result can ' +
    'be above the average. Chunks stay where they are when they are not in STANDARD (moving them costs a retrieval or ' +
    'the rest of their minimum storage time), when another upload refers to them, and in the newest version of a writer.',
  args: [uploadArg],
  flags,
  rules: [...uploadTargetRules, conflictsAcrossLayers('dryRun', ['execute'])],
  examples: [
    'archiver balance s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver balance s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --threshold 1.5 --dry-run',
    'archiver balance --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --execute',
  ],
  isRecorded: true,
  exits: {
    0: 'analyzed, planned or done; also when there was nothing to move',
    1: 'failed: something is damaged or not understood, something else works on the upload, or the store failed',
    4: 'not done: the store creates no key only once, and --exclusive was not given',
  },
  async run(values, [url], context: Results<'balance'> & Clock & StoreContext & TableContext & ProgressContext) {
    const target = await findUpload(url, { ...values, workers: REQUESTS_AT_ONCE }, context);
    const { writableStore } = await import('../core/store/create-once/create-once.js');
    const { balanceDocument } = await import('../core/mend/balance/balance-document.js');
    const elapsed = stopwatch(context);
    const { baseUrl, uploadId, session } = target;
    const location = uploadUrl(target);
    const { dryRun, format } = values;
    await withResult(
      context,
      {},
      {
        work: (emit) => {
          emit({ type: 'start', operation: 'balance', source: location, target: '' });
          const call = { baseUrl, values, context, session, requestsAtOnce: REQUESTS_AT_ONCE, onEvent: emit };
          return withStore(call, async (read) => {
            const opened = values.execute
              ? await writableStore(read, context, { isExclusive: values.exclusive })
              : read;
            if (values.execute) {
              recordRunFacts(context, { operation: 'balance', uploadId });
              await learnProjects(context, opened.store, [uploadId]);
            }
            const done = await carryOut(opened, uploadId, values, { emit, signal: context.signal });
            return { done, requests: opened.requests };
          });
        },
        show: async ({ done, requests }) => {
          const document = { ...balanceDocument(done), location, dryRun, durationMs: elapsed(), requests };
          const text = format === 'json' ? documentLine(document) : await balanceText(done, context);
          return { document, text: () => text };
        },
      },
    );
  },
});

async function carryOut(
  { store, lock }: OpenedStore,
  uploadId: UploadId,
  { threshold, execute, dryRun }: Values<typeof flags>,
  { emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal },
): Promise<Balanced> {
  const { randomBytes } = await import('node:crypto');
  const { balance, previewBalance } = await import('../core/mend/balance/balance.js');
  const { analyze } = await import('../core/mend/balance/plan-balance.js');
  const options = { uploadId, threshold, randomBytes, emit, signal };
  if (!execute && !dryRun) return { analysis: await analyze(store, options), executed: false };
  const plan = execute
    ? await balance(store, { ...options, requestsAtOnce: REQUESTS_AT_ONCE, lock })
    : await previewBalance(store, options);
  return { analysis: plan, plan, executed: execute };
}

async function balanceText({ analysis, plan, executed }: Balanced, context: TableContext): Promise<string> {
  const table = await shardTable(analysis.loads, plan?.moves.length ? plan.after : undefined, context);
  const next = analysis.canImprove ? '  --dry-run shows how to even it out, --execute does it' : NOTHING_TO_MOVE;
  const advice = analysis.imbalanced ? [next] : [];
  const details = plan === undefined ? advice : planLines(plan, executed);
  return table + textOf([verdict(analysis), ...details]);
}

const NOTHING_TO_MOVE = '  nothing to move: no chunk that may move makes the largest shard noticeably smaller';

function verdict({ uploadId, imbalanced, threshold, loads }: Analysis): string {
  const { largestBytes, averageBytes, ratio } = loads;
  const times = `largest shard ${formatBytes(largestBytes)}, average ${formatBytes(averageBytes)}: ${ratio.toFixed(2)} times`;
  return `upload ${printable(uploadId)} is ${imbalanced ? 'imbalanced' : 'balanced'} (${times}, threshold ${threshold})`;
}

function planLines(plan: BalancePlan, executed: boolean): string[] {
  const { moves, after, threshold, imbalanced, staying, superseded } = plan;
  const lines: string[] = [];
  if (moves.length > 0) {
    const what = `${executed ? 'moved' : 'would move'} ${amountText(moves.length, 'chunk', bytesOf(moves))}`;
    lines.push(`  ${what}: ${after.ratio.toFixed(2)} times the average`);
  } else if (imbalanced) lines.push(NOTHING_TO_MOVE);
  if (moves.length > 0 && after.ratio > threshold)
    lines.push('  that is as far as it gets: chunks are moved whole, and some have to stay');
  if (imbalanced)
    for (const { reason, chunks, bytes } of staying)
      lines.push(`  ${formatQuantity(chunks, 'chunk')} (${formatBytes(bytes)}) ${REASONS[reason]}`);
  if (superseded.objects > 0) {
    const what = amountText(superseded.objects, 'old object', superseded.bytes);
    lines.push(`  ${what}, ${executed ? 'stay' : 'would stay'} until \`archiver dataset prune\` removes them`);
  }
  return executed ? lines : [...lines, 'Nothing was changed (--dry-run).'];
}

function shardTable({ shards, totalBytes }: ShardLoads, after: ShardLoads | undefined, context: TableContext) {
  type Shard = ShardLoads['shards'][number];
  const columns = [
    numbers<Shard>('SHARD', ({ shard }) => shard),
    numbers<Shard>('CHUNKS', ({ chunks }) => formatCount(chunks)),
    numbers<Shard>('STORED', ({ storedBytes }) => formatBytes(storedBytes)),
    numbers<Shard>('SHARE', ({ storedBytes }) => formatPercent(totalBytes === 0 ? 0 : storedBytes / totalBytes)),
  ];
  if (after !== undefined)
    columns.push(numbers('AFTER', ({ shard }) => formatBytes(after.shards[shard]?.storedBytes ?? 0)));
  return tableText(shards, columns, context);
}
