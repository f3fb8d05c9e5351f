// What a job becomes when the store has been looked at. All chunks readable: ready. One gone, or one that the store would
// not give back: failed, as waiting will not help. Else pending, and it says so when a chunk is cold that was asked for:
// its copy has expired. Nothing is asked back here, as asking twice is paid for twice.
import { printable } from '../paths/raw-path.js';
import type { ChunkState } from '../thaw/chunk-states.js';
import type { JobChunk, RestoreJob } from './restore-job.js';

const NAMED = 3;

/** The job after a look at the store. `states`: of all its chunks. `nowIso`: when the look began. */
export function judgeJob(job: RestoreJob, states: readonly ChunkState[], nowIso: string): RestoreJob {
  const seen = new Map(states.map((state) => [state.key, state]));
  const chunks = job.chunks.map((chunk) => judgeChunk(chunk, seen.get(chunk.key)));
  return { ...jobWithChunks(job, chunks, nowIso), checkedAt: nowIso };
}

/** The job with these chunks, and the status that follows from them. */
export function jobWithChunks(job: RestoreJob, chunks: readonly JobChunk[], nowIso: string): RestoreJob {
  const { readyAt = nowIso, error: _error, completedAt: _completedAt, ...rest } = job;
  const judged = { ...rest, chunks };
  const lost = chunks.filter(({ state }) => state === 'missing' || state === 'denied');
  if (lost.length > 0) return { ...judged, status: 'failed', completedAt: nowIso, error: problemText(lost) };
  if (chunks.every(({ state }) => state === 'readable')) return { ...judged, status: 'ready', readyAt };
  const cold = chunks.filter(({ state }) => state === 'cold');
  return { ...judged, status: 'pending', ...(cold.length === 0 ? {} : { error: problemText(cold) }) };
}

function judgeChunk(chunk: JobChunk, seen: ChunkState | undefined): JobChunk {
  const { key, sizeBytes } = chunk;
  const storageClass = seen?.storageClass ?? chunk.storageClass;
  const now = { key, sizeBytes, storageClass };
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
  return reason ?? 'it was not asked back';
}

function problemText(chunks: readonly JobChunk[]): string {
  const named = chunks.slice(0, NAMED).map(({ key, reason }) => `${printable(key)}: ${reason ?? 'no reason is known'}`);
  const more = chunks.length > NAMED ? `; and ${chunks.length - NAMED} more chunks` : '';
  return `${named.join('; ')}${more}`;
}

/** When the first of the readable copies goes; undefined where none does. */
export function earliestExpiry({ chunks }: Pick<RestoreJob, 'chunks'>): string | undefined {
  return chunks
    .flatMap(({ state, expiresAt }) => (state === 'readable' && expiresAt !== undefined ? [expiresAt] : []))
    .reduce<string | undefined>((first, time) => (first === undefined || time < first ? time : first), undefined);
}
