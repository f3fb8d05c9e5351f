// Looks at the store for one job and writes down what it has become. The look takes time and holds no lock; when another
// process changed the job meanwhile, what that one saw stays.
import { ArchiverError } from '../failures/errors.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { chunkStates } from '../thaw/chunk-states.js';
import { updateJob } from './change-job.js';
import { judgeJob } from './judge-job.js';
import type { RestoreJob } from './restore-job.js';

export interface CheckOptions {
  readonly folder: string;
  readonly host: string;
  /** Bound to the base of the job. */
  readonly reader: ObjectReader;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** The job as it is after the look. @throws what the store says (the job is then as before); what `updateJob` throws */
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
    // That says more of the credentials than of the chunks.
    throw new ArchiverError('access-denied', `no chunk of ${job.id} can be looked at: ${first.reason ?? first.key}`);
  }
  const isSame = (current: RestoreJob): boolean => current.status === job.status && current.checkedAt === job.checkedAt;
  return await updateJob(folder, { id: job.id, host }, (current) =>
    isSame(current) ? judgeJob(current, states, beganAt.toISOString()) : undefined,
  );
}
