// `archiver restore jobs clean`: forgets jobs that ended. Only files on this computer are removed.
import { hostname } from 'node:os';
import type { Context } from '../../../cli/context.js';
import { isArchiverError } from '../../../core/failures/errors.js';
import { printable } from '../../../core/paths/raw-path.js';
import { lockForDownload } from '../../../core/restore-jobs/change-job.js';
import { findJob, findJobs, type FoundJob, removeJob, removeOrphans } from '../../../core/restore-jobs/job-folder.js';
import { formatQuantity } from '../../../ui/format.js';
import { uploadUrl } from '../../kit/upload-target.js';
import type { JobsCleanValues } from './clean.js';
import { jobFolder } from './job-store.js';
import { shownStatus } from './job-text.js';

/** Files without a job that are younger may belong to one that is just being written. */
const ORPHAN_MS = 3_600_000;

/** Runs the command; returns its exit status. */
export async function runJobsClean(values: JobsCleanValues, context: Context): Promise<number> {
  const folder = jobFolder(context);
  const found = await findJobs(folder, hostname());
  const nowMs = context.now().getTime();
  const isOld = (one: FoundJob): boolean => hasEndedBefore(one, nowMs - values.olderThan);
  const chosen: FoundJob[] = [];
  for (const one of found.filter(isOld)) if (values.dryRun || (await remove(folder, one.id, isOld))) chosen.push(one);
  if (!values.dryRun) await removeOrphans(folder, nowMs - ORPHAN_MS);
  const removed = chosen.map((one) => ({ jobId: one.id, status: shownStatus(one) }));
  const kept = found.length - chosen.length;
  context.result({ removed, kept, dryRun: values.dryRun, folder }, () => text(chosen, kept, values));
  return 0;
}

/** Under the lock of downloads: a failed job may be downloaded again just now. */
async function remove(folder: string, id: string, isOld: (one: FoundJob) => boolean): Promise<boolean> {
  try {
    const lock = await lockForDownload(folder, id, hostname());
    try {
      const one = await findJob(folder, id, hostname());
      const isStillOld = one !== undefined && isOld({ ...one, holder: undefined });
      if (isStillOld) await removeJob(folder, id);
      return isStillOld;
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return false;
    throw error;
  }
}

function hasEndedBefore({ job, holder, writtenMs }: FoundJob, beforeMs: number): boolean {
  if (holder !== undefined) return false;
  if (job === undefined) return writtenMs <= beforeMs;
  const hasEnded = job.status === 'completed' || job.status === 'failed';
  return hasEnded && Date.parse(job.completedAt ?? job.createdAt) <= beforeMs;
}

function text(chosen: readonly FoundJob[], kept: number, { dryRun }: JobsCleanValues): string {
  const what = formatQuantity(chosen.length, 'restore job');
  const lines = chosen.map((one) =>
    `  ${one.id}  ${shownStatus(one)}  ${one.job === undefined ? '' : uploadUrl(one.job.location)}`.trimEnd(),
  );
  const head = dryRun ? `Would remove ${what}, keep ${kept}.` : `Removed ${what}, kept ${kept}.`;
  return `${[head, ...lines.map(printable)].join('\n')}\n`;
}
