// Requests chunks of a job again: those whose copies expired before they were downloaded, those that could not be requested,
// and those that were denied. That costs money again, so it only happens when the user asks for it, and under the cap that
// the job was made with.
import { isColdClass } from '../../store/cold-class.js';
import { refuseCost } from '../../cost/cost-cap.js';
import { estimateRetrieval, mustThaw, type RetrievalEstimate } from '../../cost/retrieval-cost.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore, ThawTier } from '../../store/object-store.js';
import { chunkStates, type ChunkState } from '../thaw/chunk-states.js';
import { thawChunks } from '../thaw/thaw.js';
import { refuseTier } from '../thaw/tier-plans.js';
import { updateJob } from './change-job.js';
import { manifestProblem } from './check-job.js';
import { thawAgainCommand } from './download-job.js';
import { chunkIdentity, jobWithChunks } from './judge-job.js';
import type { JobChunk, RestoreJob } from './restore-job.js';
import type { ColdOptions } from '../retrieve.js';

export interface ThawAgainOptions extends Pick<
  ColdOptions,
  'tier' | 'maxCostUsd' | 'region' | 'isAws' | 'provider' | 'book'
> {
  readonly store: ObjectStore;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

export interface ThawAgainPlan {
  readonly chunks: readonly ChunkState[];
  readonly tier: ThawTier;
  /** Cost of requesting these chunks and of fetching all of the job. */
  readonly estimate: RetrievalEstimate;
}

/**
 * Plans what to request for a job that has just been checked; undefined when there is nothing to request. @throws usage for a tier that is
 * not offered, budget-exceeded, not-found for a job whose manifest is gone
 */
export async function planThawAgain(job: RestoreJob, options: ThawAgainOptions): Promise<ThawAgainPlan | undefined> {
  const { store, now, signal, tier, maxCostUsd, region, isAws, provider, book } = options;
  const look = { now: now(), signal };
  // Chunks that may not be checked may not be read either, and requesting them would be paid for nothing.
  const denied = job.chunks.filter(({ state }) => state === 'denied').map(({ key }) => key);
  const again = new Set(
    (await chunkStates(store, denied, look)).flatMap(({ key, state }) => (state === 'cold' ? key : [])),
  );
  const isWanted = ({ key, state, storageClass }: JobChunk): boolean =>
    (state === 'cold' && isColdClass(storageClass)) || again.has(key);
  const chunks = job.chunks
    .filter(isWanted)
    .map(({ key, storageClass }) => ({ key, storageClass, state: 'cold' as const }));
  if (chunks.length === 0) return undefined;
  const problem = await manifestProblem(job, { reader: store, ...look });
  if (problem !== undefined) throw new ArchiverError('not-found', `nothing is requested again: ${problem}`);
  const priced = job.chunks.map((chunk) => ({ ...chunk, isReadable: !isWanted(chunk) }));
  refuseTier(priced, tier);
  const place = { region, isAws, provider, book };
  const estimate = estimateRetrieval({ ...place, chunks: priced, tier, days: job.restoreDays });
  refuseCost(estimate, maxCostUsd, priced.some(mustThaw), (costUsd) => {
    const cents = Math.ceil(costUsd * 100) / 100;
    return `to allow it: ${thawAgainCommand(job.id)} --max-restore-cost ${cents}; or take --tier bulk`;
  });
  return { chunks, tier, estimate };
}

/** Requests the chunks and returns the changed job. @throws what `thawChunks` throws when nothing could be requested */
export async function thawAgain(
  job: RestoreJob,
  { chunks: cold, tier }: ThawAgainPlan,
  {
    folder,
    host,
    store,
    now,
    signal,
  }: Pick<ThawAgainOptions, 'store' | 'now' | 'signal'> & {
    readonly folder: string;
    readonly host: string;
  },
): Promise<RestoreJob> {
  const nowIso = now().toISOString();
  const states = await thawChunks(store, cold, { days: job.restoreDays, tier, signal });
  const asked = new Map(states.map((state) => [state.key, state]));
  return await updateJob(folder, { id: job.id, host }, (current) => {
    const chunks = current.chunks.map((chunk): JobChunk => {
      const state = asked.get(chunk.key);
      return state === undefined ? chunk : { ...chunkIdentity(chunk), state: state.state, reason: state.reason };
    });
    return jobWithChunks({ ...current, tier }, chunks, nowIso);
  });
}
