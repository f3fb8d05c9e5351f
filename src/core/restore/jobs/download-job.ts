// ready → downloading → completed or failed. A job that failed, or whose process is gone, can be downloaded again: files
// in place are kept by its overwrite policy. Nothing is requested from cold storage here: with an expired copy the job waits.
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { RestoreResult } from '../restore.js';
import { lockForDownload, updateJob } from './change-job.js';
import { type CheckOptions, checkJob } from './check-job.js';
import { savedJobs } from './job-folder.js';
import type { RestoreJob } from './restore-job.js';

export interface DownloadOptions extends CheckOptions {
  /** Restores the job's selection, once it is readable. */
  readonly restore: (job: RestoreJob) => Promise<RestoreResult>;
}

export interface Download {
  readonly job: RestoreJob;
  /** Undefined when the job had been completed before. */
  readonly result: RestoreResult | undefined;
}

const NAMED = 3;

/** Downloads the job. @throws cold-storage while it waits; conflict while another process downloads it; what `restore` throws */
export async function downloadJob(id: string, options: DownloadOptions): Promise<Download> {
  const { folder, host } = options;
  refuseWaiting(await savedJobs(folder).read(id));
  const lock = await lockForDownload(folder, id, host);
  try {
    const job = await savedJobs(folder).read(id);
    if (job.status === 'completed') return { job, result: undefined };
    const checked = await checkJob(job, { ...options, readsManifest: true });
    refuseWaiting(checked);
    refuseUnderWay(checked);
    return await restoreJob(checked, options);
  } finally {
    await lock.release();
  }
}

/** Refuses a job that waits. @throws cold-storage for a job that is pending */
export function refuseWaiting({ id, status, error }: RestoreJob): void {
  if (status !== 'pending') return;
  const why = error ?? 'its chunks were not all readable when the store was asked last';
  throw new ArchiverError('cold-storage', `restore job ${id} is pending: ${why}`, {
    hint: error === undefined ? `archiver restore jobs check ${id}` : thawAgainCommand(id),
  });
}

/**
 * Refuses a job with lost chunks, which will not become readable, while chunks that were requested are worth waiting for. @throws
 * cold-storage
 */
function refuseUnderWay({ id, chunks }: RestoreJob): void {
  const count = chunks.filter(({ state }) => state === 'thawing').length;
  if (count === 0) return;
  throw new ArchiverError(
    'cold-storage',
    `restore job ${id} has lost chunks, and ${count} of the others are not readable yet`,
    { hint: `archiver restore jobs check ${id}` },
  );
}

/** Returns the command that requests a job's cold chunks again. */
export const thawAgainCommand = (id: string): string => `archiver restore jobs check ${id} --thaw-again`;

async function restoreJob(job: RestoreJob, options: DownloadOptions): Promise<Download> {
  const { folder, host, now } = options;
  const target = { id: job.id, host };
  const begun = await updateJob(folder, target, ({ error: _error, completedAt: _completedAt, ...current }) => ({
    ...current,
    status: 'downloading',
  }));
  let result: RestoreResult;
  try {
    result = await options.restore(begun);
  } catch (error) {
    await updateJob(folder, target, (current) =>
      isArchiverError(error, 'cancelled')
        ? job
        : { ...current, status: 'failed', error: errorText(error), completedAt: now().toISOString() },
    );
    throw error;
  }
  return { job: await updateJob(folder, target, (current) => endedJob(current, result, now())), result };
}

/** Returns the job after its restore: completed, or failed if files could not be restored. */
export function endedJob(job: RestoreJob, result: RestoreResult, now: Date): RestoreJob {
  const { failed, bytes } = result;
  const counts = { files: result.files + result.unchanged + result.skipped, bytes, failed: failed.length };
  const end = { ...job, result: counts, completedAt: now.toISOString() };
  if (failed.length === 0) return { ...end, status: 'completed' };
  const named = failed.slice(0, NAMED).map(({ path, reason }) => `${printable(path)}: ${reason}`);
  const more = failed.length > NAMED ? `; and ${failed.length - NAMED} more` : '';
  return { ...end, status: 'failed', error: `could not be restored: ${named.join('; ')}${more}` };
}
