import { hostname } from 'node:os';
import { defineCommand } from '../../../cli/command.js';
import type { Clock, Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { isArchiverError } from '../../../core/platform/failures/errors.js';
import type { FoundJob } from '../../../core/restore/jobs/job-folder.js';
import { shownStatus } from '../../kit/restore-job.js';
import { jobFolder, ORPHAN_MS, removalText } from '../../kit/saved.js';
import { uploadUrl } from '../../kit/upload-target.js';

const flags = {
  olderThan: flag.duration({
    default: '24h',
    describe: 'only jobs that ended at least this long ago: 24h, 7d, 168h; 0 for any age',
  }),
  dryRun: flag.on({ describe: 'show what would be removed, remove nothing' }),
};

export const command = defineCommand({
  path: 'restore jobs clean',
  summary: 'remove restore jobs that are completed or failed',
  description:
    'Removes jobs that have ended, and job files that are damaged. Jobs that are pending, ready or being downloaded stay, ' +
    'and so do those of a newer archiver. No store is contacted, and no restored file is touched.',
  flags,
  examples: ['archiver restore jobs clean', 'archiver restore jobs clean --older-than 7d --dry-run'],
  exits: { 0: 'removed, or there was nothing to remove', 1: 'the folder cannot be read or written' },
  async run({ olderThan, dryRun }, _args, context: Results<'restore jobs clean'> & Clock & Pick<Places, 'home'>) {
    const { findJobs, savedJobs } = await import('../../../core/restore/jobs/job-folder.js');
    const folder = jobFolder(context);
    const found = await findJobs(folder, hostname());
    const nowMs = context.now().getTime();
    const isOld = (one: FoundJob): boolean => hasEndedBefore(one, nowMs - olderThan);
    const chosen: FoundJob[] = [];
    for (const one of found.filter(isOld)) if (dryRun || (await remove(folder, one.id, isOld))) chosen.push(one);
    const orphans = await savedJobs(folder).removeOrphans(nowMs - ORPHAN_MS, dryRun);
    const removed = chosen.map((one) => ({ jobId: one.id, status: shownStatus(one) }));
    const kept = found.length - chosen.length;
    context.outcome({ removed, keptCount: kept, orphans, dryRun, folder }, () => {
      const url = ({ document: job }: FoundJob): string | undefined =>
        job === undefined ? undefined : uploadUrl(job.location);
      const named = chosen.map((one) => ({ id: one.id, status: shownStatus(one), url: url(one) }));
      return removalText({ noun: 'restore job', dryRun, removed: named, kept, orphans });
    });
  },
});

/** Takes both locks before removing: a failed job may just be downloaded again, or may just have become one that waits. */
async function remove(folder: string, id: string, isOld: (one: FoundJob) => boolean): Promise<boolean> {
  const { lockForChange, lockForDownload } = await import('../../../core/restore/jobs/change-job.js');
  const { savedJobs } = await import('../../../core/restore/jobs/job-folder.js');
  try {
    const locks = [await lockForDownload(folder, id, hostname())];
    try {
      locks.push(await lockForChange(folder, id, hostname()));
      const one = await savedJobs(folder).find(id, hostname());
      const isStillOld = one !== undefined && isOld({ ...one, holder: undefined });
      if (isStillOld) await savedJobs(folder).remove(id);
      return isStillOld;
    } finally {
      for (const lock of locks) await lock.release();
    }
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return false;
    throw error;
  }
}

function hasEndedBefore({ document: job, problem, holder, writtenMs }: FoundJob, beforeMs: number): boolean {
  if (holder !== undefined) return false;
  // The job of a newer archiver may still wait for chunks that were paid for.
  if (job === undefined) return isArchiverError(problem, 'integrity') && writtenMs <= beforeMs;
  const hasEnded = job.status === 'completed' || job.status === 'failed';
  return hasEnded && Date.parse(job.completedAt ?? job.createdAt) <= beforeMs;
}
