// Changes a job: it is read, changed and written under its lock, so that two processes never undo each other's work. A
// second lock marks the process that downloads it.
import { holdLock, type Lock } from '../../platform/state/lock.js';
import { jobPaths, savedJobs, writeJob } from './job-folder.js';
import type { RestoreJob } from './restore-job.js';

/** How long to wait for the lock; changing a job takes milliseconds. */
const PATIENCE_MS = 15_000;

/**
 * Changes a job: `change` gets the current job and returns the new one, or undefined to leave it. Returns the job as it
 * is afterwards. @throws as `readJob`; conflict when another process keeps its lock
 */
export async function updateJob(
  folder: string,
  { id, host }: { readonly id: string; readonly host: string },
  change: (job: RestoreJob) => RestoreJob | undefined,
): Promise<RestoreJob> {
  await savedJobs(folder).read(id); // a lock is only created for an existing job
  const lock = await lockForChange(folder, id, host);
  try {
    const job = await savedJobs(folder).read(id);
    const changed = change(job);
    if (changed === undefined) return job;
    await writeJob(folder, changed);
    return changed;
  } finally {
    await lock.release();
  }
}

/** Keeps others from changing the job. @throws conflict when another process keeps its lock */
export const lockForChange = async (folder: string, id: string, host: string): Promise<Lock> =>
  await holdLock(jobPaths(folder, id).lock, { host, what: `restore job ${id}`, patienceMs: PATIENCE_MS });

/** Marks the job as being downloaded by this process. @throws conflict while another one does; access-denied, io */
export const lockForDownload = async (folder: string, id: string, host: string): Promise<Lock> =>
  await holdLock(jobPaths(folder, id).download, { host, what: `restore job ${id}` });
