// A restore job in words and as JSON.
import type { FoundJob } from '../../../core/restore-jobs/job-folder.js';
import { askAgain } from '../../../core/restore-jobs/download-job.js';
import { earliestExpiry } from '../../../core/restore-jobs/judge-job.js';
import type { JobStatus, RestoreJob } from '../../../core/restore-jobs/restore-job.js';
import type { Selectors } from '../../../core/manifest/selection.js';
import { resultPath } from '../../../core/failures/failure-list.js';
import { minuteText } from '../../kit/lines.js';
import { uploadUrl } from '../../kit/upload-target.js';

/** What a person reads: `interrupted` was downloading and its process is gone; `unreadable` is damaged, foreign or newer. */
export type ShownStatus = JobStatus | 'interrupted' | 'unreadable';

/** The word for what was found. */
export function shownStatus({ job, holder }: Pick<FoundJob, 'job' | 'holder'>): ShownStatus {
  if (job === undefined) return 'unreadable';
  return job.status === 'downloading' && holder === undefined ? 'interrupted' : job.status;
}

/** How many of its chunks can be read. */
export const readableChunks = ({ chunks }: RestoreJob): number =>
  chunks.filter(({ state }) => state === 'readable').length;

/** The keys that every command about a job prints. */
export function jobDocument(job: RestoreJob) {
  const { id, status, location, outputDir, datasetId, version, chunks, result } = job;
  return {
    jobId: id,
    status,
    location: uploadUrl(location),
    outputDir,
    ...(datasetId === undefined ? {} : { datasetId, version }),
    selectors: selectorsDocument(job.selectors),
    files: job.files,
    bytes: job.bytes,
    chunks: chunks.length,
    chunksReadable: readableChunks(job),
    tier: job.tier,
    restoreDays: job.restoreDays,
    costUsd: job.estimatedCostUsd,
    createdAt: job.createdAt,
    checkedAt: job.checkedAt ?? null,
    readyAt: job.readyAt ?? null,
    expiresAt: earliestExpiry(job) ?? null,
    completedAt: job.completedAt ?? null,
    result: result ?? null,
    error: job.error ?? null,
  };
}

/** Names as text, also those that were chosen as byte strings. */
function selectorsDocument({ paths, ...selectors }: Selectors): Selectors {
  return paths === undefined
    ? selectors
    : { ...selectors, files: [...(selectors.files ?? []), ...paths.map(resultPath)] };
}

/** One line of state, then what is wrong and what to type, where there is something. */
export function jobLines(job: RestoreJob, shown: ShownStatus): readonly string[] {
  const expiry = earliestExpiry(job);
  const until = expiry === undefined ? '' : `, the first until ${minuteText(expiry)} UTC`;
  const chunks = `${readableChunks(job)} of ${job.chunks.length} chunks readable${until}`;
  const next = nextCommand(job, shown);
  return [
    `${job.id}  ${shown.padEnd(11)}  ${chunks}`,
    ...(job.error === undefined ? [] : [`  why   ${job.error}`]),
    ...(next === undefined ? [] : [`  next  ${next}`]),
  ];
}

/** What to type next. */
export function nextCommand({ id, status, error }: RestoreJob, shown: ShownStatus): string | undefined {
  if (status === 'ready' || shown === 'interrupted' || status === 'failed')
    return `archiver restore jobs download ${id}`;
  return status === 'pending' && error !== undefined ? askAgain(id) : undefined;
}
