// Joins `archiver sync` to the upload service: the same engine as `upload`, told to compare first.
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { archiveInto } from '../../core/archive/archive-folder.js';
import { ownTrees, resolveSource } from '../../core/archive/scan/source-folder.js';
import type { ArchiveOptions } from '../../core/archive/settings.js';
import { joinStoreUrl } from '../../core/object-store/store-url.js';
import type { SavedUpload } from '../../core/resume/saved-upload.js';
import type { SyncValues } from '../sync.js';
import { planDvcFiles, writeDvcFiles } from './dvc-files.js';
import {
  baseUrlOf,
  encryptionOptions,
  filterOptions,
  memoryLimit,
  openForWriting,
  refuseClassOfFolder,
  surroundings,
} from './engine-options.js';
import { writerIdOf } from '../kit/dataset-target.js';
import { provenanceOptions } from './provenance.js';
import { resumable } from './resumable.js';
import { showUpload } from './show-upload.js';

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
  const open = openForWriting(url, values, context);
  const options: Omit<ArchiveOptions, 'emit'> = {
    ...surroundings(context),
    source,
    dataset: {
      id: values.datasetId === undefined ? undefined : checkDatasetId(values.datasetId),
      writerId,
      changes: { trackDeletes: values.trackDeletes, isForced: values.force },
      encryption: encryptionOptions(values, url, context),
    },
    filter: filterOptions(values, ownTrees(source, base, context.home)),
    failFast: values.failFast,
    packing: {
      compressionLevel: values.compressionLevel,
      fileChecksums: values.fileChecksums,
      memoryLimitBytes: memoryLimit(context),
    },
    layout: {
      shardStrategy: values.shardStrategy,
      shardCount: values.shardCount,
      storageClass: values.storageClass,
    },
    labels: { provenance: await provenanceOptions(values, source, context) },
    dryRun: values.dryRun,
  };
  const dvcFiles = await planDvcFiles(values, source, context);
  const sources = [{ given: target.source, real: source }];
  const run = { command: 'sync', values, sources, destination: base, storeUrl: url };
  const result = await resumable(run, { wish: 'same', opened }, context, options, (resumed) =>
    runWithProgress(context, { progressFormat: values.progressFormat }, (emit) => {
      emit({ type: 'start', operation: 'upload', source: target.source, target: url });
      return archiveInto(() => open(emit), { ...resumed, emit });
    }),
  );
  return showUpload(result, context, await writeDvcFiles(dvcFiles, { source, open, context }, result));
}
