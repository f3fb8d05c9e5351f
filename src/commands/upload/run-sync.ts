// Joins `archiver sync` to the upload service: the same engine as `upload`, told to compare first.
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { upload, type UploadOptions } from '../../core/archive/upload.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { joinStoreUrl } from '../../core/object-store/store-url.js';
import type { SavedUpload } from '../../core/resume/saved-upload.js';
import type { SyncValues } from '../sync.js';
import { planDvcFiles, writeDvcFiles } from './dvc-files.js';
import {
  baseUrlOf,
  DEFAULT_FRAME_BYTES,
  DEFAULT_TRANSFER,
  encryptionOptions,
  filterOptions,
  machineOptions,
  openForWriting,
  refuseClassOfFolder,
  rememberedManifests,
} from './engine-options.js';
import { writerIdOf } from '../kit/dataset-target.js';
import { provenanceOptions } from './provenance.js';
import { resumable } from './resumable.js';
import { showUpload } from './show-upload.js';
import { resolveSource, treesToSkip } from './source-folder.js';

export interface SyncTarget {
  readonly source: string;
  readonly url: string;
}

/** Runs the command, as the continuation of `opened` if given; returns its exit status. */
export async function runSync(
  values: SyncValues,
  target: SyncTarget,
  context: Context,
  opened?: SavedUpload,
): Promise<number> {
  const base = baseUrlOf(target.url);
  const writerId = writerIdOf(values.writerId);
  const url = writerId === undefined ? base : joinStoreUrl(base, 'writers', writerId);
  refuseClassOfFolder(url, values);
  const source = resolveSource(target.source, context.cwd);
  const options: Omit<UploadOptions, 'emit'> = {
    ...machineOptions(context),
    ...(await rememberedManifests(url, values, context)),
    source,
    writerId,
    datasetId: values.datasetId === undefined ? undefined : checkDatasetId(values.datasetId),
    encryption: encryptionOptions(values, url, context),
    changes: { trackDeletes: values.trackDeletes, isForced: values.force },
    filter: filterOptions(values, treesToSkip(source, base, context.home)),
    failFast: values.failFast,
    provenance: await provenanceOptions(values, source, context),
    shardStrategy: values.shardStrategy,
    shardCount: values.shardCount,
    compressionLevel: values.compressionLevel,
    frameBytes: DEFAULT_FRAME_BYTES,
    storageClass: values.storageClass,
    tiers: undefined,
    tags: {},
    project: undefined,
    fileChecksums: values.fileChecksums,
    transfer: DEFAULT_TRANSFER,
    dryRun: values.dryRun,
    open: openForWriting(url, values, context),
  };
  const dvcFiles = await planDvcFiles(values, source, context);
  const sources = [{ given: target.source, real: source }];
  const run = { command: 'sync', values, sources, destination: base, storeUrl: url };
  const result = await resumable(run, { wish: 'same', opened }, context, (resumption) =>
    runWithProgress(context, { progressFormat: values.progressFormat }, (emit) => {
      emit({ type: 'start', operation: 'upload', source: target.source, target: url });
      return upload({ ...options, ...resumption, emit });
    }),
  );
  return showUpload(result, context, await writeDvcFiles(dvcFiles, options, result));
}
