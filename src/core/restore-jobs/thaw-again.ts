// Asks the store again for the chunks of a job that are cold: those whose copies expired before they were downloaded, and
// those that could not be asked for. That is paid for again, so it only happens on request.
import type { ObjectStore } from '../object-store/object-store.js';
import { thawChunks } from '../thaw/thaw.js';
import { updateJob } from './change-job.js';
import { jobWithChunks } from './judge-job.js';
import type { JobChunk, RestoreJob } from './restore-job.js';

export interface ThawAgainOptions {
  readonly folder: string;
  readonly host: string;
  readonly store: Pick<ObjectStore, 'thaw'>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** The chunks that would be asked for. */
export const coldChunks = ({ chunks }: RestoreJob): readonly JobChunk[] =>
  chunks.filter(({ state }) => state === 'cold');

/** The job with what was asked for. @throws what `thawChunks` throws when nothing could be asked for */
export async function thawAgain(job: RestoreJob, options: ThawAgainOptions): Promise<RestoreJob> {
  const { folder, host, store, signal } = options;
  const nowIso = options.now().toISOString();
  const cold = coldChunks(job).map(({ key, storageClass }) => ({ key, storageClass, state: 'cold' as const }));
  const states = await thawChunks(store, cold, { days: job.restoreDays, tier: job.tier, signal });
  const asked = new Map(states.map((state) => [state.key, state]));
  return await updateJob(folder, { id: job.id, host }, (current) => {
    const chunks = current.chunks.map((chunk): JobChunk => {
      const { key, sizeBytes, storageClass } = chunk;
      const now = asked.get(key);
      return now === undefined ? chunk : { key, sizeBytes, storageClass, state: now.state, reason: now.reason };
    });
    return jobWithChunks(current, chunks, nowIso);
  });
}
