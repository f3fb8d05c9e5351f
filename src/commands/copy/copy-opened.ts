// Copies between two stores that are open: the plan, what it may cost, and the copy itself.
import type { Context } from '../../cli/context.js';
import type { SlotValues } from '../../cli/slots.js';
import { refuseUnlockable, retentionOf } from '../../core/archive/run/upload-lock.js';
import { rememberedIn } from '../../core/archive/run/remembered.js';
import { cacheFolder } from '../../core/dataset/cache/cache-folder.js';
import { addTag } from '../../core/dataset/set-tag.js';
import type { EventSink } from '../../core/events/events.js';
import { coldObjects } from '../../core/mend/copy/cold-objects.js';
import { type CopyRun, newCopyRun } from '../../core/mend/copy/copy-run.js';
import { copyVersions, type CopyResult } from '../../core/mend/copy/copy-versions.js';
import { type CopyPlan, planCopy } from '../../core/mend/copy/plan-copy.js';
import { refuseForgotten, rememberCopied } from '../../core/mend/copy/remember-copied.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { uploadUrlOf, type UploadId } from '../../core/store/ids/upload-id.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { readOnly } from '../../core/store/read-only.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { memoryLimit } from '../kit/memory-limit.js';
import { restoreCommand } from '../kit/restore-command.js';
import { chunksIn, thawEstimate } from '../kit/unread-cold.js';
import { encryptionOptions, lockOption } from '../kit/place-options.js';
import type { CopyPlaces, CopyValues } from './both-stores.js';
import { askBudgets, type CopyAmounts, type PlannedCost, plannedCost } from './planned-cost.js';

/** What says how versions are copied, and which. */
export type CopyingValues = SlotValues &
  Pick<
    CopyValues,
    | 'datasetId'
    | 'version'
    | 'exclusive'
    | 'deep'
    | 'allowUnencrypted'
    | 'workers'
    | 'kmsKeyId'
    | 'objectLock'
    | 'retain'
    | 'dryRun'
    | 'newStore'
    | 'project'
  > & { readonly storageClass: string };

export interface OpenStores {
  readonly places: CopyPlaces;
  readonly from: OpenedStore;
  /** As it may be written to. */
  readonly to: OpenedStore;
}

/** What was done: a plan alone for a dry run. */
export interface CopyDone {
  readonly plan: CopyPlan;
  readonly result: CopyResult | undefined;
  readonly cost: PlannedCost | undefined;
  readonly amounts: CopyAmounts;
}

export interface CopyHooks {
  readonly emit: EventSink;
  /** Called before anything is sent. */
  readonly onBegin?: () => void;
  /** True for objects about which budgets were asked before. */
  readonly isAsked?: (key: string) => boolean;
}

/** Copies what is chosen, or plans it. @throws what keeps it from beginning; the first failure where nothing is there in the end */
export async function copyOpened(
  { places, from, to }: OpenStores,
  values: CopyingValues,
  context: Context,
  { emit, onBegin, isAsked }: CopyHooks,
): Promise<CopyDone> {
  const run = await newRun({ places, from, to }, values, context, emit);
  const plan = await planCopy(run);
  const { heads } = rememberedIn(cacheFolder(context.home), to, (text) => context.warn(text));
  if (!values.newStore) await refuseForgotten(run, plan, heads);
  const records = plan.versions.filter(({ state }) => state === 'new').length;
  const amounts: CopyAmounts = { missing: plan.missing, records, from, to, values, isAsked };
  await refuseCold(run, plan, from, context);
  if (values.dryRun) return { plan, result: undefined, cost: await plannedCost(amounts, context), amounts };
  refuseAllFailed(plan.failures, plan.versions.length + plan.retired.length);
  await askBudgets(amounts, emit, context);
  onBegin?.();
  const result = await copyVersions(run, plan);
  await rememberCopied(run, result.made, heads);
  refuseAllFailed(result.failures, result.made.length + result.there.length);
  return { plan, result, cost: undefined, amounts };
}

/** Fails with the reason where nothing at all is in the other store. @throws it */
function refuseAllFailed([first]: CopyResult['failures'], well: number): void {
  if (first !== undefined && well === 0) throw first.error;
}

async function newRun(
  { places, from, to }: OpenStores,
  values: CopyingValues,
  context: Context,
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
