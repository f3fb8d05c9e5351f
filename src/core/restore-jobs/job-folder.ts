// The folder of restore jobs: which there are, reading one, saving a new one, removing one. What changes a job goes
// through change-job.ts.
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeOrphanFiles } from '../state/orphans.js';
import { replaceFile } from '../state/replace-file.js';
import { ArchiverError, errorText, isArchiverError, systemCode } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';
import { type LockHolder, lockHolder } from '../state/lock.js';
import { encodeJob, JOB_ID, newJobId, parseJob, type RestoreJob, type RestoreJobFields } from './restore-job.js';

/** A selection of a million paths fits. */
const MAX_JOB_BYTES = 256 * 2 ** 20;

export interface FoundJob {
  readonly id: string;
  /** Undefined when it cannot be used; `problem` says why. */
  readonly job: RestoreJob | undefined;
  readonly problem: ArchiverError | undefined;
  /** The process that downloads it now. */
  readonly holder: LockHolder | undefined;
  /** When its file was written, ms since 1970. */
  readonly writtenMs: number;
}

/** The files of job `id`: the job, the lock under which it changes, the lock of who downloads it. */
export const jobPaths = (folder: string, id: string) => ({
  job: join(folder, `${id}.json`),
  lock: join(folder, `${id}.lock`),
  download: join(folder, `${id}.download`),
});

/** Saves a new job, `pending`, under a new id; the folder is made when it is missing. @throws access-denied, no-space, io */
export async function saveNewJob(folder: string, fields: RestoreJobFields): Promise<RestoreJob> {
  const job: RestoreJob = { id: newJobId(), status: 'pending', ...fields };
  await writeJob(folder, job);
  return job;
}

/** Writes a job whose lock is held, or that is new. @throws access-denied, no-space, io */
export async function writeJob(folder: string, job: RestoreJob): Promise<void> {
  const path = jobPaths(folder, job.id).job;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    await replaceFile(path, encodeJob(job));
  } catch (error) {
    throw jobFailure('write', path, error);
  }
}

/** A failure of the file system in words. */
export function jobFailure(verb: 'read' | 'write', path: string, error: unknown): ArchiverError {
  const code = systemCode(error) ?? errorText(error);
  const kinds = { EACCES: 'access-denied', EPERM: 'access-denied', ENOSPC: 'no-space' } as const;
  const kind = kinds[code as keyof typeof kinds] ?? 'io';
  return new ArchiverError(kind, `cannot ${verb} ${printable(path)} (${code})`, { cause: error });
}

/** The saved jobs, oldest first, damaged ones at the end; none when there is no folder. @throws access-denied, io */
export async function findJobs(folder: string, host: string): Promise<readonly FoundJob[]> {
  const found: FoundJob[] = [];
  for (const id of await savedJobIds(folder)) {
    const one = await findJob(folder, id, host);
    if (one !== undefined) found.push(one);
  }
  const age = ({ job }: FoundJob): string => job?.createdAt ?? '~';
  return found.sort((a, b) => (age(a) < age(b) ? -1 : Number(age(a) > age(b))));
}

/** Ids of the jobs in the folder. @throws access-denied, io */
export async function savedJobIds(folder: string): Promise<readonly string[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw jobFailure('read', folder, error);
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((name) => JOB_ID.test(name))
    .sort();
}

/** One job with the process that downloads it; undefined when it is not there. @throws access-denied, io */
export async function findJob(folder: string, id: string, host: string): Promise<FoundJob | undefined> {
  const { job: path, download } = jobPaths(folder, id);
  try {
    const { mtimeMs: writtenMs } = await stat(path);
    const holder = await lockHolder(download, host);
    try {
      return { id, job: await readJob(folder, id), problem: undefined, holder, writtenMs };
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
      return { id, job: undefined, problem: error, holder, writtenMs };
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || isArchiverError(error, 'not-found')) return undefined; // removed meanwhile
    throw isArchiverError(error) ? error : jobFailure('read', path, error);
  }
}

/** One job. @throws not-found; integrity, unsupported for what is no job of this version; access-denied, io */
export async function readJob(folder: string, id: string): Promise<RestoreJob> {
  if (!JOB_ID.test(id)) throw noSuchJob(folder, id);
  const path = jobPaths(folder, id).job;
  let text: string;
  try {
    const { size } = await stat(path);
    text = size > MAX_JOB_BYTES ? '' : await readFile(path, 'utf8');
  } catch (error) {
    throw systemCode(error) === 'ENOENT' ? noSuchJob(folder, id) : jobFailure('read', path, error);
  }
  return parseJob(text, id, path);
}

const noSuchJob = (folder: string, id: string): ArchiverError =>
  new ArchiverError('not-found', `no restore job ${printable(id)} is saved in ${printable(folder)}`, {
    hint: 'archiver restore jobs list',
  });

/** Removes a job, its file last: what the locks belong to stays known until then. @throws access-denied, io */
export async function removeJob(folder: string, id: string): Promise<void> {
  const { job, lock, download } = jobPaths(folder, id);
  for (const path of [lock, download, job]) {
    try {
      await rm(path, { force: true });
    } catch (error) {
      throw jobFailure('write', path, error);
    }
  }
}

const ORPHAN = /^(?:(rj-[0-9a-f]{8})\.(?:lock|download)|\.rj-[0-9a-f]{8}\.json\.[0-9a-f]{12})$/;

/** Removes what processes left that were killed while they wrote or removed a job, and is older. @throws system errors */
export const removeOrphans = async (folder: string, beforeMs: number): Promise<void> =>
  await removeOrphanFiles(folder, beforeMs, { pattern: ORPHAN, savedIds: await savedJobIds(folder) });
