// The result of a restore that may involve cold storage, as data for programs.
import { roundedBill } from '../cost/cost-model.js';
import type { RetrievalEstimate } from '../cost/retrieval-cost.js';
import { isColdClass } from '../store/cold-class.js';
import type { TierPlan } from './thaw/tier-plans.js';
import type { Retrieval, ThawedChunk } from './retrieve.js';

/** Whether a chunk will not become readable: refused, gone, or not requested. */
export const isLost = ({ state }: ThawedChunk): boolean =>
  state === 'denied' || state === 'missing' || state === 'cold';

/** Returns the status in the words of a restore job. */
function statusOf({ kind, result }: Retrieval) {
  if (kind !== 'restored') return kind === 'requested' ? 'pending' : 'planned';
  return result.failed.length === 0 ? 'completed' : 'failed';
}

/** Returns the keys of the document. */
export function retrievalDocument(retrieval: Retrieval, jobId: string | undefined) {
  const { chunks, estimate } = retrieval;
  const cold = chunks.filter((chunk) => isColdClass(chunk.storageClass) || isLost(chunk));
  return {
    status: statusOf(retrieval),
    ...(jobId === undefined ? {} : { jobId }),
    ...estimateDocument(estimate),
    coldChunks: cold.map(chunkDocument),
    ...(retrieval.kind === 'requested' ? { readyBy: retrieval.readyBy?.toISOString() ?? null } : {}),
    ...(retrieval.kind === 'planned' ? { tiers: retrieval.tiers.map(tierDocument) } : {}),
  };
}

const estimateDocument = (estimate: RetrievalEstimate): RetrievalEstimate => ({
  ...estimate,
  ...roundedBill(estimate),
});

const chunkDocument = ({ key, sizeBytes, storageClass, state, expiresAt, reason }: ThawedChunk) => ({
  key,
  size: sizeBytes,
  storageClass,
  state,
  expiresAt: expiresAt?.toISOString() ?? null,
  reason: reason ?? null,
});

const tierDocument = ({ tier, wait, readyBy, estimate }: TierPlan) => ({
  tier,
  wait: wait.text,
  readyBy: readyBy.toISOString(),
  ...estimateDocument(estimate),
});
