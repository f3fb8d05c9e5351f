// The folder of restore jobs: listing, reading, saving and removing them. Changes go through change-job.ts.
import type { ArchiverError } from '../failures/errors.js';
import { DocumentFolder, type FoundDocument } from '../state/document-folder.js';
import type { LockHolder } from '../state/lock.js';
import { encodeJob, JOB_ID, newJobId, parseJob, type RestoreJob, type RestoreJobFields } from './restore-job.js';

export interface FoundJob {
  readonly id: string;
  /** Undefined when it cannot be used; `problem` says why. */
  readonly job: RestoreJob | undefined;
  readonly problem: ArchiverError | undefined;
  /** The process that is downloading it. */
  readonly holder: LockHolder | undefined;
  /** When its file was written, ms since 1970. */
  readonly writtenMs: number;
}

const jobsIn = (folder: string): DocumentFolder<RestoreJob> =>
  new DocumentFolder(folder, {
    noun: 'restore job',
    listCommand: 'archiver restore jobs list',
    id: JOB_ID,
    beside: ['lock', 'download'],
    workLock: 'download',
    maxBytes: 256 * 2 ** 20, // a selection of a million paths fits
    parse: parseJob,
  });

/** The files of job `id`: the job, the lock for changing it, the lock for downloading it. */
export function jobPaths(folder: string, id: string) {
  const jobs = jobsIn(folder);
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
  await jobsIn(folder).write(job.id, encodeJob(job));

/** The saved jobs, oldest first, damaged ones at the end; none when there is no folder. @throws access-denied, io */
export async function findJobs(folder: string, host: string): Promise<readonly FoundJob[]> {
  const found = (await jobsIn(folder).findAll(host)).map(asJob);
  const age = ({ job }: FoundJob): string => job?.createdAt ?? '~';
  return found.sort((a, b) => (age(a) < age(b) ? -1 : Number(age(a) > age(b))));
}

const asJob = ({ document, ...found }: FoundDocument<RestoreJob>): FoundJob => ({ ...found, job: document });

/** Ids of the jobs in the folder. @throws access-denied, io */
export const savedJobIds = async (folder: string): Promise<readonly string[]> => await jobsIn(folder).ids();

/** One job with the process that downloads it; undefined when it is not there. @throws access-denied, io */
export async function findJob(folder: string, id: string, host: string): Promise<FoundJob | undefined> {
  const found = await jobsIn(folder).find(id, host);
  return found === undefined ? undefined : asJob(found);
}

/** One job. @throws not-found; integrity, unsupported for a file that this version cannot read; access-denied, io */
export const readJob = async (folder: string, id: string): Promise<RestoreJob> => await jobsIn(folder).read(id);

/** Removes a job, its file last, so that its locks always belong to a job. @throws access-denied, io */
export const removeJob = async (folder: string, id: string): Promise<void> => await jobsIn(folder).remove(id);

/** Removes older leftovers of processes that were killed while they wrote or removed a job. @returns how many @throws system errors */
export const removeOrphans = async (folder: string, beforeMs: number, dryRun = false): Promise<number> =>
  await jobsIn(folder).removeOrphans(beforeMs, dryRun);
