// The status of a job after its chunks were checked. All readable: ready. One missing, or one that the store refuses to
// restore: failed, because waiting will not help. Otherwise pending, with an error when a chunk that was requested is cold
// again: its copy has expired. Nothing is requested here, because each request costs money.
import { printable } from '../../platform/paths/raw-path.js';
import type { ChunkState } from '../thaw/chunk-states.js';
import type { JobChunk, RestoreJob } from './restore-job.js';

const NAMED = 3;

/** Returns the job after a check. `states` are those of all its chunks, `nowIso` is when the check began. */
export function judgeJob(job: RestoreJob, states: readonly ChunkState[], nowIso: string): RestoreJob {
  const seen = new Map(states.map((state) => [state.key, state]));
  const chunks = job.chunks.map((chunk) => judgeChunk(chunk, seen.get(chunk.key)));
  return { ...jobWithChunks(job, chunks, nowIso), checkedAt: nowIso };
}

/** Returns the job with these chunks, and the status that follows from them. */
export function jobWithChunks(job: RestoreJob, chunks: readonly JobChunk[], nowIso: string): RestoreJob {
  const { readyAt = nowIso, error: _error, completedAt: _completedAt, ...rest } = job;
  const judged = { ...rest, chunks };
  const lost = chunks.filter(({ state }) => state === 'missing' || state === 'denied');
  if (lost.length > 0) return { ...judged, status: 'failed', completedAt: nowIso, error: problemText(lost) };
  if (chunks.every(({ state }) => state === 'readable')) return { ...judged, status: 'ready', readyAt };
  const cold = chunks.filter(({ state }) => state === 'cold');
  return { ...judged, status: 'pending', ...(cold.length === 0 ? {} : { error: problemText(cold) }) };
}

/** Returns the job as failed: it cannot be downloaded, whatever its chunks are. */
export function failedJob(job: RestoreJob, error: string, nowIso: string): RestoreJob {
  const { readyAt: _readyAt, ...rest } = job;
  return { ...rest, status: 'failed', error, completedAt: nowIso };
}

/** Returns the facts about a chunk that do not depend on the last check. */
export function chunkIdentity({ state: _s, reason: _r, expiresAt: _e, ...identity }: JobChunk) {
  return identity;
}

function judgeChunk(chunk: JobChunk, seen: ChunkState | undefined): JobChunk {
  const now = { ...chunkIdentity(chunk), storageClass: seen?.storageClass ?? chunk.storageClass };
  if (seen === undefined) return { ...now, state: 'missing', reason: 'the store says nothing of it' };
  const expiresAt = seen.expiresAt?.toISOString();
  if (seen.state === 'readable' || seen.state === 'thawing')
    return { ...now, state: seen.state, ...(expiresAt === undefined ? {} : { expiresAt }) };
  if (seen.state !== 'cold') return { ...now, state: seen.state, reason: seen.reason };
  if (chunk.state === 'denied') return { ...now, state: 'denied', reason: chunk.reason };
  return { ...now, state: 'cold', reason: coldReason(chunk, expiresAt) };
}

function coldReason({ state, expiresAt, reason }: JobChunk, expired: string | undefined): string {
  const until = expired ?? expiresAt;
  if (until !== undefined) return `its readable copy expired on ${until.slice(0, 16)}Z`;
  if (state === 'thawing' || state === 'readable') return 'it is cold again: its readable copy has expired';
  return reason ?? 'it was not requested';
}

function problemText(chunks: readonly JobChunk[]): string {
  const named = chunks.slice(0, NAMED).map(({ key, reason }) => `${printable(key)}: ${reason ?? 'no reason is known'}`);
  const more = chunks.length > NAMED ? `; and ${chunks.length - NAMED} more chunks` : '';
  return `${named.join('; ')}${more}`;
}

/** Returns when the first readable copy expires; undefined if none does. */
export function earliestExpiry({ chunks }: Pick<RestoreJob, 'chunks'>): string | undefined {
  return chunks
    .flatMap(({ state, expiresAt }) => (state === 'readable' && expiresAt !== undefined ? [expiresAt] : []))
    .reduce<string | undefined>((first, time) => (first === undefined || time < first ? time : first), undefined);
}
