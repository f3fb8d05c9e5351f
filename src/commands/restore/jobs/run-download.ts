// `archiver restore jobs download`: the restore that a job was made for.
import { hostname } from 'node:os';
import type { Context } from '../../../cli/context.js';
import { runWithProgress } from '../../../cli/progress.js';
import { readVersion } from '../../../core/dataset/versions.js';
import { digestsOf } from '../../../core/dataset/version-view.js';
import { isArchiverError } from '../../../core/failures/errors.js';
import type { EventSink } from '../../../core/events.js';
import type { OpenedStore } from '../../../core/object-store/open-store.js';
import { newRequestCounts } from '../../../core/object-store/request-count.js';
import { printable } from '../../../core/paths/raw-path.js';
import { downloadJob, refuseWaiting } from '../../../core/restore-jobs/download-job.js';
import type { RestoreJob } from '../../../core/restore-jobs/restore-job.js';
import { withoutLost } from '../../../core/restore-jobs/without-lost.js';
import { restoreUpload, type RestoreResult } from '../../../core/restore/restore.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { openFrameCache } from '../../kit/frame-cache.js';
import { resultText, statusOf, warnOf } from '../run-restore.js';
import type { JobsDownloadValues } from './download.js';
import { jobFolder, openJobStore, readNamedJob } from './job-store.js';
import { jobDocument } from './job-text.js';

/** Runs the command; returns its exit status. */
export async function runJobsDownload(values: JobsDownloadValues, id: string, context: Context): Promise<number> {
  const startedAt = context.now().getTime();
  const known = await readNamedJob(id, context);
  refuseWaiting(known);
  if (known.status === 'completed') return alreadyCompleted(known, context);
  const { job, result, requests } = await runWithProgress(
    context,
    { progressFormat: values.progressFormat },
    async (emit) => {
      const opened = await openJobStore(known, values, context, { maxSockets: values.workers + 2, onEvent: emit });
      try {
        const done = await downloadJob(id, {
          folder: jobFolder(context),
          host: hostname(),
          reader: opened.store,
          now: context.now,
          signal: context.signal,
          restore: (ready) => restore(ready, { values, context, opened, emit }),
        });
        return { ...done, requests: opened.requests };
      } finally {
        opened.close();
      }
    },
  );
  if (result === undefined) return alreadyCompleted(job, context);
  warnOf(result, context);
  const durationMs = context.now().getTime() - startedAt;
  context.result({ ...jobDocument(job), ...result, durationMs, requests }, () => {
    const text = resultText(result, { operation: 'restore' }, { durationMs, requests, context, planned: [] });
    return job.status === 'completed' ? text : `${text}  next      archiver restore jobs download ${job.id}\n`;
  });
  return statusOf(result);
}

interface Way {
  readonly values: JobsDownloadValues;
  readonly context: Context;
  readonly opened: OpenedStore;
  readonly emit: EventSink;
}

async function restore(job: RestoreJob, { values, context, opened, emit }: Way): Promise<RestoreResult> {
  const isCacheGiven = (context.origins['cacheGb'] ?? 'default') !== 'default';
  return await restoreUpload({
    operation: 'restore',
    reader: withoutLost(opened.store, job),
    uploadId: job.location.uploadId,
    manifestSha256: await manifestDigests(job, opened, context.signal),
    outputDir: job.outputDir,
    selectors: job.selectors,
    overwrite: job.overwrite,
    flatten: job.flatten,
    verifyFiles: job.verify,
    keepSpecialBits: job.keepSpecialBits,
    dryRun: false,
    requestsAtOnce: values.workers,
    memoryLimitBytes: context.memoryLimitBytes,
    cache: await openFrameCache(values, context),
    fillsCache: job.selectors.all !== true || isCacheGiven,
    emit,
    signal: context.signal,
  });
}

/** What the record of its version says now: a prune may have rewritten the manifest since the job was made, or taken the record. */
async function manifestDigests(
  { datasetId, version }: RestoreJob,
  { store }: OpenedStore,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (datasetId === undefined || version === undefined) return undefined;
  try {
    return digestsOf(await readVersion(store, datasetId, version, signal));
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return undefined;
    throw error;
  }
}

function alreadyCompleted(job: RestoreJob, context: Context): number {
  const { files = 0, bytes = 0 } = job.result ?? {};
  context.result({ ...jobDocument(job), files, bytes, failed: [], durationMs: 0, requests: newRequestCounts() }, () => {
    const when = job.completedAt?.slice(0, 16) ?? '';
    return `${job.id} was completed on ${when}Z: ${formatQuantity(files, 'file')} in ${printable(job.outputDir)}, ${formatBytes(bytes)} written\n`;
  });
  return 0;
}
