// Joins `archiver upload` to the upload service: flags to options, events to progress, the result to text or JSON.
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import type { DirectOptions } from '../../core/archive/plan/direct-plan.js';
import type { TierPolicy } from '../../core/archive/plan/tier.js';
import { type ChangeOptions, upload, type UploadOptions } from '../../core/archive/upload.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { usageError } from '../../core/failures/errors.js';
import { joinStoreUrl } from '../../core/object-store/store-url.js';
import type { SavedUpload } from '../../core/resume/saved-upload.js';
import type { UploadValues } from '../upload.js';
import {
  baseUrlOf,
  encryptionOptions,
  filterOptions,
  machineOptions,
  openForWriting,
  refuseClassOfFolder,
  rememberedManifests,
} from './engine-options.js';
import { writerIdOf } from '../kit/dataset-target.js';
import { planDvcFiles, writeDvcFiles } from './dvc-files.js';
import { readPreviousManifest } from './previous-manifest.js';
import { provenanceOptions } from './provenance.js';
import { resumable } from './resumable.js';
import { showUpload } from './show-upload.js';
import { resolveSource, treesToSkip } from './source-folder.js';

const MB = 1_000_000;
const MAX_DIRECT_REQUESTS = 64;
const OTHER_SOCKETS = 10;
const COLD = new Set(['GLACIER', 'DEEP_ARCHIVE']);
type ColdValues = Pick<UploadValues, 'autoTier' | 'tierMax' | 'dryRun' | 'yes'> & { readonly storageClass: string };

export interface UploadTarget {
  readonly source: string;
  readonly destination: string | undefined;
}

/** Runs the command, as the continuation of `opened` if given; returns its exit status. */
export async function runUpload(
  values: UploadValues,
  target: UploadTarget,
  context: Context,
  opened?: SavedUpload,
): Promise<number> {
  const base = destinationUrl(values, target.destination);
  const writerId = writerIdOf(values.writerId);
  const url = writerId === undefined ? base : joinStoreUrl(base, 'writers', writerId);
  const source = resolveSource(target.source, context.cwd);
  await confirmCold(values, context);
  const direct = directOptions(values);
  // Beside the files: chunks, manifest and listings.
  const network = direct === undefined ? {} : { maxSockets: direct.requests + OTHER_SOCKETS };
  const options = {
    ...engineSettings(values, context, url),
    ...machineOptions(context),
    ...(await rememberedManifests(url, values, context)),
    source,
    writerId,
    datasetId: values.datasetId === undefined ? undefined : checkDatasetId(values.datasetId),
    changes: changeOptions(values),
    encryption: encryptionOptions(values, url, context),
    filter: filterOptions(values, treesToSkip(source, base, context.home)),
    failFast: values.failFast,
    provenance: await provenanceOptions(values, source, context),
    direct,
    open: openForWriting(url, values, context, network),
  };
  const dvcFiles = await planDvcFiles(values, source, context);
  const sources = [{ given: target.source, real: source }];
  const run = { command: 'upload', values, sources, destination: base, storeUrl: url };
  const wish = values.resume ? 'resume' : values.forceRestart ? 'restart' : 'ask';
  const result = await resumable(run, { wish, opened }, context, (resumption) =>
    runWithProgress(context, { progressFormat: values.progressFormat }, (emit) => {
      emit({ type: 'start', operation: 'upload', source: target.source, target: url });
      return upload({ ...options, ...resumption, emit });
    }),
  );
  return showUpload(result, context, await writeDvcFiles(dvcFiles, options, result));
}

type Settings = Pick<
  UploadOptions,
  | 'shardStrategy'
  | 'shardCount'
  | 'compressionLevel'
  | 'frameBytes'
  | 'storageClass'
  | 'tiers'
  | 'tags'
  | 'project'
  | 'fileChecksums'
  | 'dedup'
  | 'transfer'
  | 'dryRun'
>;

function engineSettings(values: UploadValues, context: Context, url: string): Settings {
  refuseClassOfFolder(url, values);
  const { shardStrategy, shardCount, compressionLevel, storageClass, project, fileChecksums, dryRun } = values;
  const { optimization, congestionControl, transporter, disableStaging } = values;
  return {
    shardStrategy,
    shardCount,
    compressionLevel,
    frameBytes: values.frameSize,
    storageClass,
    tiers: tierPolicy(values, context.now()),
    tags: values.tag,
    project,
    fileChecksums,
    dedup: values.enableDedup,
    transfer: { optimization, congestionControl, transporter, disableStaging },
    dryRun,
  };
}

function directOptions(values: UploadValues): DirectOptions | undefined {
  if (!values.directUpload) return undefined;
  return {
    thresholdBytes: values.forceDirectUpload ? undefined : values.directUploadThresholdMb * MB,
    requests: Math.min(values.directUploadWorkers, MAX_DIRECT_REQUESTS),
  };
}

function changeOptions(values: UploadValues): ChangeOptions | undefined {
  const { incremental, prevManifest } = values;
  if (!incremental) return undefined;
  if (prevManifest === undefined) return { trackDeletes: false };
  return { trackDeletes: false, previousManifest: readPreviousManifest(prevManifest) };
}

function tierPolicy(values: UploadValues, now: Date): TierPolicy | undefined {
  if (!values.autoTier) return undefined;
  return {
    strategy: values.tierStrategy,
    hotDays: values.tierHotDays,
    coldDays: values.tierColdDays,
    archiveDays: values.tierArchiveDays,
    max: values.tierMax,
    nowSeconds: now.getTime() / 1000,
  };
}

function destinationUrl(values: UploadValues, destination: string | undefined): string {
  return baseUrlOf(destination ?? joinStoreUrl(`s3://${values.bucket ?? ''}`, values.prefix ?? ''));
}

/** Asks on a terminal before anything goes to cold storage. @throws usage when the answer is no */
export async function confirmCold(values: ColdValues, context: Context): Promise<void> {
  const isCold = COLD.has(values.storageClass) || (values.autoTier && COLD.has(values.tierMax ?? 'DEEP_ARCHIVE'));
  if (!isCold || values.dryRun || values.yes || context.stdin.isTTY !== true || context.stderr.isTTY !== true) return;
  const what = values.autoTier ? 'Files not read lately go to' : 'Everything goes to';
  const question = `${what} cold storage: billed for at least 90 days (GLACIER) or 180 days (DEEP_ARCHIVE), hours to read back. Continue?`;
  if (!(await context.confirm(question))) throw usageError('not uploaded: the answer was no');
}
