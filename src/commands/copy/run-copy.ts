// Carries out `archiver copy`: both stores, the plan, what it may cost, and the copy itself.
import type { Context } from '../../cli/context.js';
import type { EventSink } from '../../core/events/events.js';
import { rememberedIn } from '../../core/archive/run/remembered.js';
import { cacheFolder } from '../../core/dataset/cache/cache-folder.js';
import { refuseUnlockable, retentionOf } from '../../core/archive/run/upload-lock.js';
import { addTag } from '../../core/dataset/set-tag.js';
import { listWriters } from '../../core/dataset/records/find-places.js';
import { coldObjects } from '../../core/mend/copy/cold-objects.js';
import { type CopyRun, newCopyRun } from '../../core/mend/copy/copy-run.js';
import { copyVersions, type CopyResult } from '../../core/mend/copy/copy-versions.js';
import { type CopyPlan, planCopy } from '../../core/mend/copy/plan-copy.js';
import { refuseForgotten, rememberCopied } from '../../core/mend/copy/remember-copied.js';
import { ArchiverError, undefinedOn } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { writableStore } from '../../core/store/create-once/create-once.js';
import { uploadUrlOf, type UploadId } from '../../core/store/ids/upload-id.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { readOnly } from '../../core/store/read-only.js';
import { sumOfCounts } from '../../core/store/request-count.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { recordRunFacts } from '../kit/account.js';
import { textOf } from '../kit/lines.js';
import { memoryLimit } from '../kit/memory-limit.js';
import { restoreCommand } from '../kit/restore-command.js';
import { stopwatch, warnOf, withResult } from '../kit/run.js';
import { chunksIn, thawEstimate } from '../kit/unread-cold.js';
import { encryptionOptions, lockOption, withoutClassOfFolder } from '../upload/engine-options.js';
import { type CopyPlaces, type CopyValues, openFrom, openTo, placesOf, refuseSame } from './both-stores.js';
import { copyLines, failureTexts, outcomeOf, plannedAmounts, plannedOutcome, versionRows } from './copy-lines.js';
import {
  askBudgets,
  type CopyAmounts,
  costDocument,
  costLines,
  type PlannedCost,
  plannedCost,
} from './planned-cost.js';

interface Call {
  readonly values: CopyValues;
  readonly from: string;
  readonly to: string | undefined;
}

/** What was done: a plan alone for a dry run. */
interface Done {
  readonly plan: CopyPlan;
  readonly result: CopyResult | undefined;
  readonly cost: PlannedCost | undefined;
  readonly amounts: CopyAmounts;
  readonly requests: OpenedStore['requests'];
}

/** Runs the command. @returns its exit status */
export async function runCopy({ values: asked, from, to }: Call, context: Context<'copy'>): Promise<number> {
  const elapsed = stopwatch(context);
  const places = placesOf(from, to, asked, context.cwd);
  const values = withoutClassOfFolder(places.to, asked, context);
  const { dryRun } = values;
  const done = await withResult(context, values, {
    work: (emit) => carryOut(places, values, context, emit),
    show: ({ plan, result, cost, amounts, requests }: Done) => {
      const outcome = result === undefined ? plannedOutcome(plan) : outcomeOf(plan, result);
      const sent =
        result === undefined ? plannedAmounts(plan) : { objects: result.sentObjects, bytes: result.sentBytes };
      const document = {
        copyFrom: places.from,
        copyTo: places.to,
        dryRun,
        copiedVersions: versionRows(outcome, dryRun ? 'planned' : 'made'),
        ...sent,
        ...(result === undefined ? {} : { addedTags: result.addedTags }),
        ...(cost === undefined ? {} : costDocument(cost)),
        durationMs: elapsed(),
        requests,
      };
      const headline = { ...places, isVerbose: context.verbose };
      const lines = [
        ...copyLines(outcome, dryRun ? 'Would copy' : 'Copied', sent, headline),
        ...(cost === undefined ? [] : costLines(cost, amounts)),
        ...(dryRun ? ['Nothing was written (--dry-run).'] : []),
      ];
      return { document, text: () => textOf(lines) };
    },
  });
  const failures = done.result?.failures ?? done.plan.failures;
  warnOf(failureTexts({ ...plannedOutcome(done.plan), failures }), context);
  return failures.length === 0 ? 0 : 3;
}

async function carryOut(
  places: CopyPlaces,
  values: CopyValues,
  context: Context<'copy'>,
  emit: EventSink,
): Promise<Done> {
  emit({ type: 'start', operation: 'copy', source: places.from, target: places.to });
  const from = await openFrom(places.from, values, context, emit);
  try {
    const to = await openTo(places.to, values, context, emit);
    try {
      return await copyBetween({ places, from, to }, values, context, emit);
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

interface Opened {
  readonly places: CopyPlaces;
  readonly from: OpenedStore;
  readonly to: OpenedStore;
}

async function copyBetween(
  { places, from, to: bare }: Opened,
  values: CopyValues,
  context: Context<'copy'>,
  emit: EventSink,
): Promise<Done> {
  const { dryRun, exclusive: isExclusive, project } = values;
  refuseSame(from, bare);
  const to = await writableStore(bare, context, { dryRun, isExclusive });
  const run = await newRun({ places, from, to }, values, context, emit);
  await tellWriters(from, context);
  const plan = await planCopy(run);
  const { heads } = rememberedIn(cacheFolder(context.home), to, (text) => context.warn(text));
  if (!values.newStore) await refuseForgotten(run, plan, heads);
  const records = plan.versions.filter(({ state }) => state === 'new').length;
  const amounts: CopyAmounts = { missing: plan.missing, records, from, to, values };
  await refuseCold(run, plan, from, context);
  const requests = (): Done['requests'] => sumOfCounts(from.requests, to.requests);
  if (dryRun)
    return { plan, result: undefined, cost: await plannedCost(amounts, context), amounts, requests: requests() };
  refuseAllFailed(plan.failures, plan.versions.length + plan.retired.length);
  await askBudgets(amounts, emit, context);
  recordRunFacts(context, { operation: 'copy', project });
  const result = await copyVersions(run, plan);
  await rememberCopied(run, result.made, heads);
  refuseAllFailed(result.failures, result.made.length + result.there.length);
  return { plan, result, cost: undefined, amounts, requests: requests() };
}

/** Fails with the reason where nothing at all is in the other store. @throws it */
function refuseAllFailed([first]: CopyResult['failures'], well: number): void {
  if (first !== undefined && well === 0) throw first.error;
}

async function newRun(
  { places, from, to }: Opened,
  values: CopyValues,
  context: Context<'copy'>,
  emit: EventSink,
): Promise<CopyRun> {
  const { datasetId, version, exclusive, deep, allowUnencrypted, storageClass, workers } = values;
  const { now, signal } = context;
  const { kmsKeyId } = encryptionOptions({ kmsKeyId: values.kmsKeyId, encryptManifest: false }, places.to, context);
  const retention = retentionOf(lockOption(values, places.to), { createdAt: now(), now: now() });
  if (retention !== undefined) await refuseUnlockable(to, signal);
  const { store, deleter } = to;
  return newCopyRun({
    from: readOnly(from.store),
    to: store,
    choice: { uploadId: places.uploadId, dataset: datasetId, versions: version },
    isExclusive: exclusive,
    isDeep: deep,
    allowUnencrypted,
    storageClass,
    kmsKeyId,
    retention,
    requestsAtOnce: workers,
    memoryLimitBytes: memoryLimit(context, 'copying'),
    addTag: (asked) => addTag(store, asked, { now: now(), deleter, signal }),
    emit,
    warn: (text) => context.warn(text),
    now,
    signal,
  });
}

/** Says that writers below are stores of their own. */
async function tellWriters({ store }: OpenedStore, context: Context): Promise<void> {
  const found = await listWriters(store, context.signal).catch(undefinedOn('access-denied', 'store'));
  const [first, ...others] = found?.places ?? [];
  if (first === undefined) return;
  const many = others.length === 0 ? 'a writer lies' : `${others.length + 1} writers lie`;
  const command = `archiver copy ${printable(store.url)}/${first} TO/${first}`;
  context.warn(`${many} below ${printable(store.url)}, and each is a store of its own: ${command}`);
}

/** Refuses what lies in cold storage, with what it takes to read it. @throws cold-storage */
async function refuseCold(run: CopyRun, { missing }: CopyPlan, from: OpenedStore, context: Context): Promise<void> {
  const { counts, uploadIds } = await coldObjects(run, missing);
  const [uploadId] = uploadIds;
  if (uploadId === undefined) return;
  const estimate = await thawEstimate(counts, from, context);
  const bytes = counts.reduce((sum, count) => sum + count.bytes, 0);
  const what = `${formatQuantity(chunksIn(counts), 'chunk')} (${formatBytes(bytes)}) in cold storage`;
  const location = uploadUrlOf(from.store.url, uploadId as UploadId);
  const command = restoreCommand({ location, outputDir: './out', files: undefined });
  const more =
    uploadIds.length === 1 ? '' : `, and the same for ${formatQuantity(uploadIds.length - 1, 'other upload')}`;
  throw new ArchiverError(
    'cold-storage',
    `nothing was copied: ${what}; requesting them costs ${formatUsd(estimate.costUsd)}`,
    {
      hint: `${command} --tier bulk requests them${more}; then copy again`,
    },
  );
}
