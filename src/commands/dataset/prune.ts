import { defineCommand } from '../../cli/command.js';
import type { Clock, Messages, Questions, Results, Terminal } from '../../cli/context.js';
import type { ProgressContext } from '../../cli/progress.js';
import { flag, type Values } from '../../cli/flag.js';
import { conflicts } from '../../cli/rule.js';
import type { EarlyDeletion } from '../../core/cost/early-deletion.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { ordinalsText } from '../../core/dataset/ordinals-text.js';
import type { PlanOptions, PrunePlan } from '../../core/dataset/prune/plan-prune.js';
import type { PruneReport } from '../../core/dataset/prune/prune-document.js';
import type { ReadRecord } from '../../core/dataset/records/versions.js';
import { usageError } from '../../core/failures/errors.js';
import { printable } from '../../core/paths/raw-path.js';
import { unfinishedBytes } from '../../core/object-store/unfinished-bytes.js';
import { formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';
import { formatUsd } from '../../ui/format-usd.js';
import { agree, hasTerminal } from '../kit/ask.js';
import { datasetFlag, placeArg, storeFlags, storeModeFlag, writerFlag, yesFlag } from '../kit/flags.js';
import { amountText, bytesOf, fact, failureText, firstLines, textOf } from '../kit/lines.js';
import { stopwatch, withResult } from '../kit/run.js';
import { type StoreContext, withStore } from '../kit/store.js';

/** A writer's record comes within an hour of its look; as much again for clocks and slow requests. */
const MIN_GRACE_MS = 2 * 3_600_000;

const flags = {
  ...datasetFlag,
  keepLast: flag.int([1], { required: true, describe: 'keep the newest N versions; the newest one always stays' }),
  keepDaily: flag.int([1], { describe: 'also keep the newest version of each of the last N days that have one' }),
  keepWeekly: flag.int([1], { describe: 'the same with weeks, which begin on Monday' }),
  keepMonthly: flag.int([1], { describe: 'the same with months' }),
  keepYearly: flag.int([1], { describe: 'the same with years' }),
  abandonedAfter: flag.duration({
    default: '7d',
    describe: 'remove uploads that never became a version when nothing was written to them for this long',
  }),
  grace: flag.duration({
    default: '24h',
    describe:
      'delete what was marked at least this long ago; at least 2h, so that no writer or restore still relies on it',
  }),
  instant: flag.on({
    describe: 'delete at once instead: only when nothing else writes to or reads from this place meanwhile',
  }),
  dryRun: flag.on({ describe: 'show what would be deleted and what it costs; change nothing' }),
  force: flag.on({ describe: 'do not ask' }),
  ...yesFlag,
  ...writerFlag,
  ...storeModeFlag,
  ...storeFlags('us-west-2'),
};

export const command = defineCommand({
  path: 'dataset prune',
  summary: 'delete old versions of a dataset for good',
  description:
    'Keeps what any of the --keep flags selects and retires the other versions. Days, weeks, months and years are UTC. What ' +
    'no kept version needs any more is marked, and a later prune deletes it when the mark is older than --grace: until ' +
    'then uploads and restores that are under way still find it. --instant deletes at once. A kept version that ' +
    'builds on a retired one is first rewritten to be complete; the rewrite is verified, and the original stays ' +
    'beside it until it is swept. The newest version is never retired, and no version number is ever used again.\n' +
    'It cannot be undone. Interrupted, every kept version stays readable, and the same command finishes. Nothing is ' +
    'deleted while any version of any dataset there cannot be read. Writes that were killed a day ago or earlier (temp files of a folder, unfinished multipart uploads of a bucket) are removed. Objects in cold classes that are younger than ' +
    'their minimum storage time cost the rest of it; that is shown first, at AWS list prices.',
  args: [placeArg],
  flags,
  rules: [
    conflicts('instant', ['grace']),
    {
      kind: 'check',
      text: '--grace is at least 2h (--instant: no grace, when nothing else writes or reads there)',
      ok: ({ grace }) => grace >= MIN_GRACE_MS,
    },
  ],
  examples: [
    'archiver dataset prune s3://acme-archive/lab --dataset-id results-1a2b3c4d --keep-last 7 --dry-run',
    'archiver dataset prune s3://acme-archive/lab --dataset-id results-1a2b3c4d --keep-last 7 --keep-monthly 12 --yes',
  ],
  exits: {
    0: 'pruned, or nothing to do',
    1: 'stopped, and nothing was deleted: something is damaged, not understood or changed meanwhile, or the store failed',
    3: 'pruned, but some objects could not be deleted',
  },
  async run(
    values,
    [url],
    context: Messages & Questions & Terminal & Clock & Results & StoreContext & ProgressContext,
  ) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const datasetId = checkDatasetId(values.datasetId);
    refuseUnasked(values, context);
    const { randomBytes } = await import('node:crypto');
    const { earlyDeletion } = await import('../../core/cost/early-deletion.js');
    const { hasWork, planPrune } = await import('../../core/dataset/prune/plan-prune.js');
    const { prune } = await import('../../core/dataset/prune/prune.js');
    const { deadWrites, removeDeadWrites } = await import('../../core/scuttle/unfinished.js');
    const { pruneDocument } = await import('../../core/dataset/prune/prune-document.js');
    const { readOnly } = await import('../../core/object-store/read-only.js');
    const { dryRun, force } = values;
    const { signal } = context;
    const elapsed = stopwatch(context);
    const options = planOptions(values, datasetId, context);
    const freedFrom = options.graceMs === 0 ? undefined : new Date(options.now.getTime() + options.graceMs);
    const { outcome } = await withResult(
      context,
      {},
      {
        work: (emit, aside) => {
          emit({ type: 'start', operation: 'prune', source: baseUrl, target: '' });
          return withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, region, requests }) => {
            const plan = await planPrune(readOnly(store), { ...options, emit });
            const dead = await deadWrites(store, options.now, signal);
            const going = [...plan.marked.flatMap(({ objects }) => objects), ...plan.sweep.objects];
            const fees = earlyDeletion(going, { region, now: context.now() });
            const isDue = !dryRun && (hasWork(plan) || dead.length > 0);
            const ask = async (): Promise<void> => {
              for (const warning of plan.warnings) context.warn(printable(warning));
              if (isDue) context.note(planLines({ plan, fees, freedFrom, dead }).join('\n'));
              if (isDue && !force) await agree(context, 'Delete this for good?', 'nothing was pruned');
            };
            if (isDue || plan.warnings.length > 0) await aside(ask);
            const removed = isDue ? await removeDeadWrites(store, dead, signal) : dead;
            const outcome = isDue ? await prune(store, { ...options, plan, randomBytes, emit }) : undefined;
            return { outcome, plan: outcome?.plan ?? plan, fees, freedFrom, dead: removed, requests };
          });
        },
        show: ({ requests, ...done }) => ({
          document: { datasetId, location: baseUrl, dryRun, ...pruneDocument(done), durationMs: elapsed(), requests },
          text: () => textOf(dryRun ? [...planLines(done), 'Nothing was changed (--dry-run).'] : outcomeLines(done)),
        }),
      },
    );
    return (outcome?.failed.length ?? 0) > 0 ? 3 : 0;
  },
});

/** Nobody is there to answer: told before anything is read. */
function refuseUnasked({ dryRun, force, yes }: Values<typeof flags>, context: Terminal): void {
  if (dryRun || force || yes || hasTerminal(context)) return;
  throw usageError(
    'pruning deletes for good and there is no terminal to ask on',
    'add --dry-run to see what would go, or --yes to do it',
  );
}

function planOptions(values: Values<typeof flags>, datasetId: string, { now, signal }: Clock & StoreContext) {
  const { keepLast: last, keepDaily, keepWeekly, keepMonthly, keepYearly } = values;
  return {
    datasetId,
    keep: { last, daily: keepDaily, weekly: keepWeekly, monthly: keepMonthly, yearly: keepYearly },
    abandonedAfterMs: values.abandonedAfter,
    graceMs: values.instant ? 0 : values.grace,
    now: now(),
    signal,
  } satisfies PlanOptions;
}

const MAX_NAMED = 10;

const versionsText = (versions: readonly ReadRecord[]): string =>
  `${formatQuantity(versions.length, 'version')}: ${ordinals(versions)}`;

const ordinals = (versions: readonly ReadRecord[]): string => ordinalsText(versions.map(({ record }) => record));

/** When what is marked now can be deleted. */
const momentText = formatMinute;

/** What will happen. */
function planLines({ plan, fees, freedFrom, dead }: Omit<PruneReport, 'outcome'>): string[] {
  const { datasetId, kept, retired, compacted, sweep, marked } = plan;
  const due = `${amountText(sweep.objects.length, 'object', bytesOf(sweep.objects))}, marked before`;
  return [
    `dataset ${printable(datasetId)}`,
    fact('keep', versionsText(kept)),
    fact('retire', retired.length === 0 ? 'no version' : versionsText(retired)),
    ...(compacted.length === 0 ? [] : [fact('rewrite', `the manifest of ${ordinals(compacted)}, to be complete`)]),
    ...abandonedLines(plan),
    ...(marked.length === 0 ? [] : [fact(freedFrom === undefined ? 'delete' : 'mark', markedText(plan, freedFrom))]),
    ...(sweep.due.length === 0 ? [] : [fact('delete', due)]),
    ...deadLines(dead),
    ...waitingLines(plan),
    ...feeLines(fees),
  ];
}

function markedText({ marked }: PrunePlan, freedFrom: Date | undefined): string {
  const objects = marked.flatMap((upload) => upload.objects);
  const amount = amountText(objects.length, 'object', bytesOf(objects));
  return freedFrom === undefined ? amount : `${amount}: deleted by a prune after ${momentText(freedFrom)}`;
}

function waitingLines({ sweep: { waiting } }: PrunePlan): string[] {
  const { objects, bytes, until } = waiting;
  if (objects === 0 || until === undefined) return [];
  const amount = amountText(objects, 'object', bytes);
  return [fact('waiting', `${amount}, marked before: deleted by a prune after ${momentText(until)}`)];
}

const deadLines = (dead: PruneReport['dead']): string[] =>
  dead.length === 0 ? [] : [fact('remains', amountText(dead.length, 'unfinished write', unfinishedBytes(dead)))];

function abandonedLines({ marked }: PrunePlan): string[] {
  const abandoned = marked.filter(({ reason }) => reason === 'abandoned');
  if (abandoned.length === 0) return [];
  const named = abandoned.slice(0, MAX_NAMED).map(({ uploadId }) => uploadId);
  const more = abandoned.length > MAX_NAMED ? ` and ${abandoned.length - MAX_NAMED} more` : '';
  const what = `${formatQuantity(abandoned.length, 'upload')} that never became a version`;
  return [fact('abandoned', `${what}: ${named.join(', ')}${more}`)];
}

/** What deletion before the end of the minimum storage time costs, by class. */
function feeLines({ byClass, costUsd, region, pricesOf }: EarlyDeletion): string[] {
  if (byClass.length === 0) return [];
  const lines = byClass.map(({ storageClass, minimumDays, objects, bytes, costUsd: cost }) => {
    const what = `${amountText(objects, 'object', bytes)} in ${printable(storageClass)}`;
    if (minimumDays === null) return fact('fee', `unknown: ${what}, a class that is not known`);
    return fact('fee', `${usd(cost)}: ${what} before ${minimumDays} days are over`);
  });
  const source = `at AWS list prices of ${pricesOf}${region === null ? '' : ` for ${printable(region)}`}`;
  return [...lines, fact('early', `deletion costs ${usd(costUsd)} in all, ${source}`)];
}

const usd = (amount: number | null): string => (amount === null ? 'an unknown amount' : formatUsd(amount));

/** What was done. */
function outcomeLines({ plan, outcome, freedFrom, dead }: PruneReport): string[] {
  const { datasetId, retired, kept, compacted, marked } = plan;
  const name = `dataset ${printable(datasetId)}`;
  if (outcome === undefined) return [`nothing to prune: ${name} keeps ${ordinals(kept)}`, ...waitingLines(plan)];
  const { deletedObjects, freedBytes, failed } = outcome;
  const isMarked = marked.length > 0 && freedFrom !== undefined;
  return [
    `retired ${formatQuantity(retired.length, 'version')} of ${name}, kept ${versionsText(kept)}`,
    ...(compacted.length === 0 ? [] : [fact('rewrote', `the manifest of ${ordinals(compacted)}`)]),
    ...(isMarked ? [fact('marked', markedText(plan, freedFrom))] : []),
    fact('deleted', amountText(deletedObjects, 'object', freedBytes)),
    ...deadLines(dead),
    ...waitingLines(plan),
    ...firstLines(failed.map(({ key, reason }) => fact('failed', failureText({ path: key, reason })))),
  ];
}
