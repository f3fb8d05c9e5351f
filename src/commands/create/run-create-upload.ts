// Joins `archiver create upload` to the upload service: the same engine as `upload`, with other flags around it.
import { hostname, totalmem } from 'node:os';
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { threadsWithin } from '../../core/limits/open-files.js';
import { archiveInto } from '../../core/archive/archive-folder.js';
import { type ArchiveOptions, DEFAULT_FRAME_BYTES } from '../../core/archive/settings.js';
import { joinStoreUrl } from '../../core/object-store/store-url.js';
import type { SavedUpload } from '../../core/resume/saved-upload.js';
import type { CreateUploadValues } from './upload.js';
import {
  baseUrlOf,
  filterOptions,
  memoryLimit,
  openForWriting,
  refuseClassOfFolder,
  surroundings,
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
  const limitBytes = memoryLimit(context);
  await confirmCold({ ...values, autoTier: false, tierMax: undefined, dryRun: false }, context);
  const { folders, root, origin } = sources;
  const host = hostname();
  const options: Omit<ArchiveOptions, 'emit'> = {
    ...surroundings(context),
    source: root,
    dataset: {
      id: datasetOf(sources, host),
      ...(folders.length === 1 ? {} : { origin: { path: origin, owner: host } }),
    },
    filter: filterOptions(values, sources.skipTrees),
    failFast: values.failFast,
    packing: {
      workers: threadsWithin(values.workers),
      memoryLimitBytes: memoryOf(values, network.requests, limitBytes),
    },
    layout: {
      shardCount: values.shards,
      chunkBytes: values.chunkSizeMb === 0 ? undefined : values.chunkSizeMb * MB,
      storageClass: values.storageClass,
    },
    transfer: { requests: network.requests },
    resume: { cleansUp: values.cleanupOnFailure, readsBack: values.skipExisting },
  };
  const open = openForWriting(url, values, context, network);
  const run = { command: 'create upload', values, sources: folders, destination: url, storeUrl: url };
  const named = opened ?? (await openNamed(run, values, context));
  const wish = values.resume ? 'resume' : 'ask';
  const result = await resumable(run, { wish, opened: named }, context, options, (resumed) =>
    runWithProgress(context, { progressFormat: values.progressFormat }, (emit) => {
      emit({ type: 'start', operation: 'upload', source: given.join(' '), target: url });
      return archiveInto(() => open(emit), { ...resumed, emit });
    }),
  );
  return showUpload(result, context);
}

function destinationUrl({ bucket, prefix, ...values }: CreateUploadValues): string {
  const url = baseUrlOf(joinStoreUrl(bucket.includes('://') ? bucket : `s3://${bucket}`, prefix));
  refuseClassOfFolder(url, values);
  return url;
}

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
