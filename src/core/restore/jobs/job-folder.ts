// The folder of restore jobs: listing, reading, saving and removing them. Changes go through change-job.ts.
import { DocumentFolder, type FoundDocument } from '../../platform/state/document-folder.js';
import { encodeJob, JOB_ID, newJobId, parseJob, type RestoreJob, type RestoreJobFields } from './restore-job.js';

/** A saved job, as it was found; its holder is the process that is downloading it. */
export type FoundJob = FoundDocument<RestoreJob>;

/** Returns the saved jobs of a folder. */
export const savedJobs = (folder: string): DocumentFolder<RestoreJob> =>
  new DocumentFolder(folder, {
    noun: 'restore job',
    listCommand: 'archiver restore jobs list',
    id: JOB_ID,
    beside: ['lock', 'download'],
    workLock: 'download',
    maxBytes: 256 * 2 ** 20, // a selection of a million paths fits
    parse: parseJob,
  });

/** Returns the paths of the files of job `id`: the job, the lock for changing it, the lock for downloading it. */
export function jobPaths(folder: string, id: string) {
  const jobs = savedJobs(folder);
  return { job: jobs.path(id), lock: jobs.path(id, 'lock'), download: jobs.path(id, 'download') };
}

/** Saves a new job, `pending`, under a new id; the folder is created when it is missing. @throws access-denied, no-space, io */
export async function saveNewJob(folder: string, fields: RestoreJobFields): Promise<RestoreJob> {
  const job: RestoreJob = { id: newJobId(), status: 'pending', ...fields };
  await writeJob(folder, job);
  return job;
}

/** Writes a job whose lock is held, or that is new. @throws access-denied, no-space, io */
export const writeJob = async (folder: string, job: RestoreJob): Promise<void> =>
  await savedJobs(folder).write(job.id, encodeJob(job));

/** Returns the saved jobs, oldest first, damaged ones at the end; none when there is no folder. @throws access-denied, io */
export async function findJobs(folder: string, host: string): Promise<readonly FoundJob[]> {
  const found = await savedJobs(folder).findAll(host);
  const age = ({ document }: FoundJob): string => document?.createdAt ?? '~';
  return found.toSorted((a, b) => (age(a) < age(b) ? -1 : Number(age(a) > age(b))));
}
