// Checks the chunks of one job in the store and saves its new status. The check takes time and holds no lock; when another process changed
// the job meanwhile, that process's result stays. A job is ready when its manifest is there as well.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { chunkStates, type StateOptions } from '../thaw/chunk-states.js';
import { updateJob } from './change-job.js';
import { failedJob, judgeJob } from './judge-job.js';
import type { RestoreJob } from './restore-job.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';

export interface CheckOptions {
  readonly folder: string;
  readonly host: string;
  /** Bound to the base of the job. */
  readonly reader: ObjectReader;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** True if the manifest is read right after this anyway. */
  readonly readsManifest?: boolean;
}

/** Checks a job and returns it with its new status. @throws errors of the store (the job is then unchanged); what `updateJob` throws */
export async function checkJob(job: RestoreJob, options: CheckOptions): Promise<RestoreJob> {
  const { folder, host, reader, now, signal } = options;
  const beganAt = now();
  const states = await chunkStates(
    reader,
    job.chunks.map(({ key }) => key),
    { now: beganAt, signal },
  );
  const [first] = states;
  if (first !== undefined && states.every(({ state }) => state === 'denied')) {
    // This is a problem of the credentials, not of the chunks.
    throw new ArchiverError('access-denied', `no chunk of ${job.id} can be looked at: ${first.reason ?? first.key}`);
  }
  const nowIso = beganAt.toISOString();
  const isReadNext = options.readsManifest === true || judgeJob(job, states, nowIso).status !== 'ready';
  const problem = isReadNext ? undefined : await manifestProblem(job, { reader, now: beganAt, signal });
  const judged = (current: RestoreJob): RestoreJob => {
    const next = judgeJob(current, states, nowIso);
    return problem === undefined ? next : failedJob(next, problem, nowIso);
  };
  const isSame = (current: RestoreJob): boolean => current.status === job.status && current.checkedAt === job.checkedAt;
  return await updateJob(folder, { id: job.id, host }, (current) => (isSame(current) ? judged(current) : undefined));
}

/** Returns why the manifest of the job cannot be read; undefined if it can. @throws what the store says */
export async function manifestProblem(
  { location }: Pick<RestoreJob, 'location'>,
  { reader, ...options }: StateOptions & Pick<CheckOptions, 'reader'>,
): Promise<string | undefined> {
  const key = manifestKeyOf(location.uploadId);
  const [found] = await chunkStates(reader, [key], options);
  if (found === undefined || found.state === 'readable') return undefined;
  return `its manifest cannot be read: ${key}: ${found.reason ?? `it is in cold storage (${found.storageClass})`}`;
}
