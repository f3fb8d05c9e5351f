// Changing a job: it is read, changed and written under its lock, so that two processes never undo each other's work.
// A second lock marks the process that downloads it.
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';
import { type Lock, type LockHolder, ownHolder, takeLock } from '../state/lock.js';
import { jobFailure, jobPaths, readJob, writeJob } from './job-folder.js';
import type { RestoreJob } from './restore-job.js';

/** Changing a job takes milliseconds. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 20;

/**
 * Changes a job: `change` gets it as it is now and gives what it becomes, or undefined to leave it. Returns the job as it
 * is afterwards. @throws as `readJob`; conflict when another process keeps its lock
 */
export async function updateJob(
  folder: string,
  { id, host }: { readonly id: string; readonly host: string },
  change: (job: RestoreJob) => RestoreJob | undefined,
): Promise<RestoreJob> {
  await readJob(folder, id); // a lock is only made beside a job
  const lock = await waitForLock(jobPaths(folder, id).lock, id, host);
  try {
    const job = await readJob(folder, id);
    const changed = change(job);
    if (changed === undefined) return job;
    await writeJob(folder, changed);
    return changed;
  } finally {
    await lock.release();
  }
}

async function waitForLock(path: string, id: string, host: string): Promise<Lock> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const taken = await tryLock(path, host);
    if ('release' in taken) return taken;
    if (Date.now() > until) throw inUse(taken, id, { path, host });
    await sleep(PAUSE_MS);
  }
}

async function tryLock(path: string, host: string): Promise<Lock | LockHolder> {
  try {
    return await takeLock(path, ownHolder(host));
  } catch (error) {
    throw jobFailure('write', path, error);
  }
}

function inUse(holder: LockHolder, id: string, { path, host }: { path: string; host: string }): ArchiverError {
  const who = holder.pid === 0 ? 'another process' : `process ${holder.pid} on ${printable(holder.host)}`;
  return new ArchiverError('conflict', `${who} is working on restore job ${id}`, {
    hint:
      holder.host === host
        ? 'wait for it, or stop it'
        : `when it is certain that it runs no more, remove ${printable(path)}`,
  });
}

/** Marks the job as being downloaded by this process. @throws conflict while another one does; access-denied, io */
export async function lockForDownload(folder: string, id: string, host: string): Promise<Lock> {
  const path = jobPaths(folder, id).download;
  const taken = await tryLock(path, host);
  if ('release' in taken) return taken;
  throw inUse(taken, id, { path, host });
}
