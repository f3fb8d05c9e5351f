import { hostname } from 'node:os';
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Context, Results } from '../../../cli/context.js';
import type { Values } from '../../../cli/flag.js';
import type { ExpectedDigests } from '../../../core/dataset/records/assert-expected.js';
import { undefinedOn } from '../../../core/platform/failures/errors.js';
import type { EventSink } from '../../../core/events/events.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import type { RestoreJob } from '../../../core/restore/jobs/restore-job.js';
import type { RestoreResult } from '../../../core/restore/restore.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { recordRunFacts, recordRunResult } from '../../kit/account.js';
import { cacheFlag, detectedStoreFlags, limitFlags, outputFlags, workersFlag } from '../../kit/flags.js';
import { budgetGateFlags } from '../../kit/budget-flags.js';
import { invalidatingChecks } from '../../kit/invalidate-checks.js';
import { fetchGate } from '../../kit/fetch-gate.js';
import { openFrameCache } from '../../kit/frame-cache.js';
import { fact, minuteText } from '../../kit/lines.js';
import { jobDocument, readNamedJob, withJobStore } from '../../kit/restore-job.js';
import { isGiven, stopwatch, warnOf, withResult } from '../../kit/run.js';
import { jobFolder } from '../../kit/saved.js';
import { memoryLimit } from '../../kit/memory-limit.js';

const flags = {
  ...cacheFlag('. A job of everything fills it only when this is given'),
  ...workersFlag,
  limitDownload: limitFlags.limitDownload,
  ...detectedStoreFlags,
  ...budgetGateFlags,
  ...outputFlags,
};

type JobContext = Context<'restore jobs download'>;

export const command = defineCommand({
  path: 'restore jobs download',
  summary: 'download a restore that is ready',
  description:
    'Restores what the job was made for, to the folder and with the settings it was made with. The job must be ready. One ' +
    'that failed or was interrupted can be downloaded again: what is in place already is left alone, as its --overwrite ' +
    'says. Before it begins, the store is asked once more; when a copy has expired meanwhile the job is pending again, and ' +
    'nothing is requested and paid for without --thaw-again of `archiver restore jobs check`.\n' +
    'Region, profile and endpoint are those that the job was made with, unless they are given; credentials are never saved.',
  args: [arg.text('JOB_ID', { describe: 'job to download; `archiver restore jobs list` shows them' })],
  flags,
  examples: ['archiver restore jobs download rj-7f3a90c2'],
  isRecorded: true,
  exits: {
    0: 'restored, or it had been already',
    1: 'not ready, failed, or none of the files could be restored',
    3: 'finished, but some files could not be restored; the job is failed and can be downloaded again',
    4: 'it would exceed a budget, or a price is not known and cost is limited; nothing was fetched',
  },
  keepsMemoryLimit: () => true,
  async run(values, [id], context: JobContext) {
    const elapsed = stopwatch(context);
    const known = await readNamedJob(id, context);
    const { downloadJob, refuseWaiting } = await import('../../../core/restore/jobs/download-job.js');
    refuseWaiting(known);
    if (known.status === 'completed') return await alreadyCompleted(known, context);
    const maxSockets = values.workers + 2;
    const { resultDocument, resultText, statusOf } = await import('../../kit/restore-result.js');
    const { job, result } = await withResult(context, values, {
      work: (emit) =>
        withJobStore({ job: known, values, context, maxSockets, onEvent: emit }, async (opened) => {
          const { datasetId, location } = known;
          recordRunFacts(context, { operation: 'restore', uploadId: location.uploadId, datasetId });
          const done = await downloadJob(id, {
            folder: jobFolder(context),
            host: hostname(),
            reader: opened.store,
            now: context.now,
            signal: context.signal,
            restore: (ready) =>
              invalidatingChecks(context, isSound, () => restore(ready, { values, context, opened, emit })),
          });
          if (done.result !== undefined)
            recordRunResult(context, { files: done.result.files, bytes: done.result.bytes });
          return { ...done, requests: opened.requests };
        }),
      show: ({ job, result, requests }) => {
        if (result === undefined) return undefined;
        const durationMs = elapsed();
        const next = job.status === 'completed' ? '' : `${fact('next', `archiver restore jobs download ${job.id}`)}\n`;
        const shown = { durationMs, context, planned: [] };
        return {
          document: { ...jobDocument(job), ...resultDocument(result), durationMs, requests },
          text: () => resultText(result, { operation: 'restore', selectors: job.selectors }, shown) + next,
        };
      },
    });
    if (result === undefined) return await alreadyCompleted(job, context);
    warnOf(result.warnings, context);
    return statusOf(result);
  },
});

const isSound = ({ failed }: RestoreResult): boolean => failed.length === 0;

interface Download {
  readonly values: Values<typeof flags>;
  readonly context: JobContext;
  readonly opened: OpenedStore;
  readonly emit: EventSink;
}

/** Runs the restore that the job was made for. */
async function restore(job: RestoreJob, { values, context, opened, emit }: Download): Promise<RestoreResult> {
  const { withoutLost } = await import('../../../core/restore/jobs/without-lost.js');
  const { restoreUpload } = await import('../../../core/restore/restore.js');
  return await restoreUpload({
    operation: 'restore',
    reader: withoutLost(opened.store, job),
    mayFetch: fetchGate({ values, uploadId: job.location.uploadId, opened, context }),
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
    memoryLimitBytes: memoryLimit(context, 'reading content'),
    cache: await openFrameCache(values, context),
    fillsCache: job.selectors.all !== true || isGiven(context, 'cacheGb'),
    emit,
    signal: context.signal,
  });
}

/**
 * Returns the digests that the version's record has now: a prune may have rewritten the manifest since the job was made, or removed the
 * record. An upload without a version may have any record.
 */
async function manifestDigests(
  { datasetId, version, location: { uploadId } }: RestoreJob,
  { store }: OpenedStore,
  signal: AbortSignal,
): Promise<ExpectedDigests | undefined> {
  const { DIGESTS_OF_RECORD } = await import('../../../core/dataset/records/assert-expected.js');
  if (datasetId === undefined || version === undefined) return DIGESTS_OF_RECORD;
  const { readVersion } = await import('../../../core/dataset/records/versions.js');
  const { recordedDigests } = await import('../../../core/dataset/records/recorded-digests.js');
  const { digestsOf } = await import('../../../core/dataset/chain/version-view.js');
  const record = await readVersion(store, { datasetId, version }, signal).catch(undefinedOn('not-found'));
  // If an ordinal has several records, their keys include the upload.
  return record !== undefined && record.uploadId === uploadId
    ? digestsOf(record)
    : await recordedDigests(store, { datasetId, uploadId }, signal);
}

async function alreadyCompleted(job: RestoreJob, context: Results<'restore jobs download'>): Promise<number> {
  const { newRequestCounts } = await import('../../../core/store/request-count.js');
  const { files = 0, bytes = 0 } = job.result ?? {};
  const document = { ...jobDocument(job), files, bytes, failed: [], durationMs: 0, requests: newRequestCounts() };
  context.outcome(document, () => {
    const when = minuteText(job.completedAt ?? '');
    const into = printable(job.outputDir);
    return `${job.id} was completed on ${when}: ${formatQuantity(files, 'file')} in ${into}, ${formatBytes(bytes)} written\n`;
  });
  return 0;
}
