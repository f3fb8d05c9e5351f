import { defineCommand } from '../../cli/command.js';
import type { Terminal } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { conflicts, exactlyOne } from '../../cli/rule.js';
import { MIN_GRACE_MS } from '../../core/dataset/prune/keep-rules.js';
import { usageError } from '../../core/platform/failures/errors.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { recordRunFacts } from '../kit/account.js';
import { noteWriters } from '../kit/all-writers.js';
import { requireConfirmation, hasTerminal } from '../kit/ask.js';
import { placeArg, storeFlags, storeModeFlag, writerFlag, yesFlag } from '../kit/flags.js';
import { textOf } from '../kit/lines.js';
import { stopwatch, withResult } from '../kit/run.js';
import { withStore } from '../kit/store.js';
import { planPlace, type PruneContext, prunePlace } from './prune-steps.js';
import { keepFlags, keepRule, keepRulesOf, notePolicy } from './keep-flags.js';
import { exclusiveFlag } from '../kit/guard-flags.js';

const flags = {
  datasetId: flag.text({
    alias: 'dataset',
    names: 'dataset',
    placeholder: 'NAME|ID',
    describe: 'the dataset: its id, or its name where only one has it; never a beginning',
  }),
  allDatasets: flag.on({ describe: 'every dataset of this place instead, each by the same --keep flags' }),
  allWriters: flag.on({
    describe: 'with --all-datasets: also those of every writer in writers/ID/ below S3_URL, each writer by itself',
  }),
  ...keepFlags,
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
  allowMassDelete: flag.on({
    describe:
      'also where what is kept holds less than half of the files or bytes of what is retired, or nothing; and keep no version for its content alone',
  }),
  force: flag.on({ describe: 'do not ask' }),
  ...yesFlag,
  ...exclusiveFlag,
  ...writerFlag,
  ...storeModeFlag,
  ...storeFlags('us-west-2'),
};

export const command = defineCommand({
  path: 'dataset prune',
  summary: 'delete old versions of a dataset for good',
  description:
    'Keeps what any of the --keep flags selects and retires the other versions: one of them is needed, or a policy in the config ' +
    'file (retention), which counts where none of them is given. Hours, days, weeks, months and years are UTC. What ' +
    'no kept version needs any more is marked, and a later prune deletes it when the mark is older than --grace: until ' +
    'then uploads and restores that are under way still find it. --instant deletes at once. A kept version that ' +
    'builds on a retired one is first rewritten to be complete; the rewrite is verified, and the original stays ' +
    'beside it until it is swept (on a store that creates no key only once that needs --exclusive; without it, what the version ' +
    'builds on stays). The newest version is never retired, and no version number is ever used again.\n' +
    'Rules about time keep a version that they would keep by the date of its writer, or by that of the store. Where what is ' +
    'kept of a dataset holds less than half of the files or bytes of what would be retired, or nothing, nothing is pruned ' +
    'without --allow-mass-delete. With --all-writers each writer is a place of its own: all are planned first, one question is asked, ' +
    'and a writer that is refused is named while the others are pruned.\n' +
    'Until an hour before --grace is over `dataset restore-version` brings a retired version back; what was deleted is gone for good. Interrupted, every kept version stays readable, and the same command finishes. Nothing is ' +
    'deleted while any version of any dataset there cannot be read; where manifests are encrypted, that needs their key. Tagged versions (`dataset tag`) stay. Writes that were killed a day ago or earlier (temp files of a folder, unfinished multipart uploads of a bucket) are removed. Objects in cold classes that are younger than ' +
    'their minimum storage time cost the rest of it; that is shown first, at AWS list prices.',
  args: [placeArg],
  flags,
  rules: [
    exactlyOne('datasetId', 'allDatasets'),
    keepRule,
    conflicts('allWriters', ['datasetId', 'writerId']),
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
    'archiver dataset prune s3://acme-archive/lab --all-datasets --keep-within 30d --yes',
    'archiver dataset prune s3://acme-archive/fleet --all-datasets --all-writers --keep-last 30 --dry-run',
  ],
  isRecorded: true,
  exits: {
    0: 'pruned, or nothing to do',
    1: 'stopped, and nothing was deleted: something is damaged, not understood or changed meanwhile, or the store failed',
    3: 'pruned, but some objects could not be deleted; with --all-writers also: some writers were pruned, and others not',
    4: 'not pruned: what is kept holds less than half of what would be retired, and --allow-mass-delete was not given',
  },
  async run(values, [url], context: PruneContext & Terminal) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    refuseUnasked(values, context);
    const rules = pruneRules(values);
    notePolicy(values, context);
    if (values.allWriters) {
      const { pruneWriters } = await import('./prune-writers.js');
      return await pruneWriters({ baseUrl, values, rules, writing: writing(values) }, context);
    }
    const { writableStore } = await import('../../core/store/create-once/create-once.js');
    const { Compactions } = await import('../../core/dataset/prune/compactions.js');
    const { earlyDeletionDocument } = await import('../../core/cost/early-deletion.js');
    const { pruneDocument } = await import('../../core/dataset/prune/prune-document.js');
    const { outcomeLines, planLines } = await import('./prune-lines.js');
    const { dryRun, force } = values;
    const { signal, verbose: isVerbose } = context;
    const elapsed = stopwatch(context);
    const { outcome } = await withResult(
      context,
      {},
      {
        work: (emit, aside) => {
          emit({ type: 'start', operation: 'prune', source: baseUrl, target: '' });
          return withStore({ baseUrl, values, context, onEvent: emit }, async (opened) => {
            const writable = await writableStore(opened, context, writing(values));
            const { requests } = writable;
            const how = '--all-writers prunes those, too; --writer-id ID one of them';
            await aside(() => noteWriters(writable.store, { writerId: values.writerId }, context, how));
            const datasetId = await datasetOf(writable.store, values.datasetId, signal);
            if (!dryRun) recordRunFacts(context, { operation: 'prune', datasetId });
            const step = { ...rules, datasetId, compactions: new Compactions(), emit };
            const { planned, fees } = await planPlace(writable, step, context);
            const { isDue, warnings } = planned;
            const ask = async (): Promise<void> => {
              for (const warning of warnings) context.warn(printable(warning));
              if (isDue) context.note(planLines({ ...planned, fees }, isVerbose).join('\n'));
              if (isDue && !force) await requireConfirmation(context, 'Delete this for good?', 'nothing was pruned');
            };
            if (isDue || warnings.length > 0) await aside(ask);
            return { ...(await prunePlace(writable, { planned, fees }, step, context)), requests };
          });
        },
        show: ({ requests, ...done }) => ({
          document: {
            location: baseUrl,
            dryRun,
            ...pruneDocument(done, values.allDatasets),
            earlyDeletion: earlyDeletionDocument(done.fees),
            durationMs: elapsed(),
            requests,
          },
          text: () =>
            textOf(
              dryRun
                ? [...planLines(done, isVerbose), 'Nothing was changed (--dry-run).']
                : outcomeLines(done, { url: baseUrl, graceMs: rules.graceMs }),
            ),
        }),
      },
    );
    return (outcome?.failed.length ?? 0) > 0 ? 3 : 0;
  },
});

/**
 * Finds the dataset by its full id or name: a beginning does not do for deletion. @throws usage; not-found, which lists the datasets that
 * exist
 */
async function datasetOf(
  reader: ObjectReader,
  given: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const { findDataset } = await import('../../core/dataset/records/find-dataset.js');
  return (await findDataset(reader, given, { takesBeginnings: false, signal })).datasetId;
}

/** Refuses, before anything is read, to delete when there is nobody to ask. @throws usage */
function refuseUnasked({ dryRun, force, yes }: Values<typeof flags>, context: Terminal): void {
  if (dryRun || force || yes || hasTerminal(context)) return;
  throw usageError(
    'pruning deletes for good and there is no terminal to ask on',
    'add --dry-run to see what would go, or --yes to do it',
  );
}

/** --instant also says that nobody else writes. */
const writing = ({ exclusive, instant, dryRun }: Values<typeof flags>) => ({
  isExclusive: exclusive || instant,
  dryRun,
});

/** What the flags ask for. */
const pruneRules = (values: Values<typeof flags>) => ({
  keep: keepRulesOf(values),
  abandonedAfterMs: values.abandonedAfter,
  graceMs: values.instant ? 0 : values.grace,
  allowMassDelete: values.allowMassDelete,
  dryRun: values.dryRun,
});
