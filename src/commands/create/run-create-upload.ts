// Joins `archiver create upload` to the upload service: the same engine as `upload`, with other flags around it.
import { totalmem } from 'node:os';
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { threadsWithin } from '../../core/limits/open-files.js';
import { upload, type UploadOptions } from '../../core/archive/upload.js';
import { joinStoreUrl } from '../../core/object-store/store-url.js';
import type { SavedUpload } from '../../core/resume/saved-upload.js';
import type { CreateUploadValues } from './upload.js';
import {
  baseUrlOf,
  DEFAULT_FRAME_BYTES,
  DEFAULT_TRANSFER,
  filterOptions,
  KEPT_ENCRYPTION,
  machineOptions,
  openForWriting,
  refuseClassOfFolder,
  rememberedManifests,
} from '../upload/engine-options.js';
import { resumable } from '../upload/resumable.js';
import { confirmCold } from '../upload/run-upload.js';
import { showUpload } from '../upload/show-upload.js';
import { networkSettings } from './network.js';
import { openNamed } from './open-named.js';
import { datasetOf, sourceFolders } from './source-folders.js';
import { uploadMemory } from './upload-memory.js';

const MB = 1e6;

/** Runs the command, as the continuation of `opened` if given; returns its exit status. */
export async function runCreateUpload(
  values: CreateUploadValues,
  given: readonly string[],
  context: Context,
  opened?: SavedUpload,
): Promise<number> {
  const url = destinationUrl(values);
  const sources = sourceFolders(given, context, url);
  const network = networkSettings(values);
  const machine = machineOptions(context);
  await confirmCold({ ...values, autoTier: false, tierMax: undefined, dryRun: false }, context);
  const { folders, root, origin } = sources;
  const options: Omit<UploadOptions, 'emit'> = {
    ...machine,
    ...(await rememberedManifests(url, values, context)),
    ...engineSettings(values, network.requests),
    memoryLimitBytes: memoryOf(values, network.requests, machine.memoryLimitBytes),
    source: root,
    ...(folders.length === 1 ? {} : { origin: { path: origin, owner: machine.host } }),
    datasetId: datasetOf(sources, machine.host),
    encryption: KEPT_ENCRYPTION,
    filter: filterOptions(values, sources.skipTrees),
    failFast: values.failFast,
    open: openForWriting(url, values, context, network),
  };
  const run = { command: 'create upload', values, sources: folders, destination: url, storeUrl: url };
  const named = opened ?? (await openNamed(run, values, context));
  const wish = values.resume ? 'resume' : 'ask';
  const result = await resumable(run, { wish, opened: named }, context, (resumption) =>
    runWithProgress(context, { progressFormat: values.progressFormat }, (emit) => {
      emit({ type: 'start', operation: 'upload', source: given.join(' '), target: url });
      return upload({ ...options, ...resumption, emit });
    }),
  );
  return showUpload(result, context);
}

function destinationUrl({ bucket, prefix, ...values }: CreateUploadValues): string {
  const url = baseUrlOf(joinStoreUrl(bucket.includes('://') ? bucket : `s3://${bucket}`, prefix));
  refuseClassOfFolder(url, values);
  return url;
}

type Settings = Pick<
  UploadOptions,
  | 'writerId'
  | 'shardStrategy'
  | 'shardCount'
  | 'chunkBytes'
  | 'compressionLevel'
  | 'frameBytes'
  | 'storageClass'
  | 'tiers'
  | 'tags'
  | 'project'
  | 'fileChecksums'
  | 'transfer'
  | 'workers'
  | 'dryRun'
  | 'cleansUp'
  | 'readsBack'
>;

const engineSettings = (values: CreateUploadValues, requests: number): Settings => ({
  writerId: undefined,
  shardStrategy: 'round-robin',
  shardCount: values.shards,
  chunkBytes: values.chunkSizeMb === 0 ? undefined : values.chunkSizeMb * MB,
  compressionLevel: undefined,
  frameBytes: DEFAULT_FRAME_BYTES,
  storageClass: values.storageClass,
  tiers: undefined,
  tags: {},
  project: undefined,
  fileChecksums: true,
  transfer: { ...DEFAULT_TRANSFER, requests },
  workers: threadsWithin(values.workers),
  dryRun: false,
  cleansUp: values.cleanupOnFailure,
  readsBack: values.skipExisting,
});

const memoryOf = (
  { workers, chunkSizeMb }: CreateUploadValues,
  requests: number,
  limitBytes: number | undefined,
): number | undefined =>
  uploadMemory({
    limitBytes,
    machineBytes: totalmem(),
    workers,
    requests,
    frameBytes: DEFAULT_FRAME_BYTES,
    chunkSizeMb,
  });
