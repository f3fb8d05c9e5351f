// A restore that may involve cold storage, as data for programs.
import { roundedBill } from '../cost/cost-model.js';
import type { RetrievalEstimate } from '../cost/retrieval-cost.js';
import { isColdClass } from '../store/cold-class.js';
import type { TierPlan } from './thaw/tier-plans.js';
import type { Retrieval, ThawedChunk } from './retrieve.js';

/** Will not become readable: refused, gone, or not requested. */
export const isLost = ({ state }: ThawedChunk): boolean =>
  state === 'denied' || state === 'missing' || state === 'cold';

/** A chunk that is needed and is cold, or will not become readable. */
export interface ColdChunk {
  readonly key: string;
  readonly size: number;
  readonly storageClass: string;
  readonly state: ThawedChunk['state'];
  /** ISO 8601; of a readable copy. */
  readonly expiresAt: string | null;
  /** Why it is denied, missing or was not requested. */
  readonly reason: string | null;
}

interface TierDocument extends RetrievalEstimate {
  readonly tier: string;
  /** For people. */
  readonly wait: string;
  readonly readyBy: string;
}

export interface RetrievalDocument extends RetrievalEstimate {
  readonly status: 'pending' | 'planned' | 'completed' | 'failed';
  readonly jobId?: string;
  /** Those in classes that must be thawed, and those that are missing. */
  readonly coldChunks: readonly ColdChunk[];
  /** Of what was requested: when all of it is readable at the latest; null where it was requested before. */
  readonly readyBy?: string | null;
  /** Of a dry run. */
  readonly tiers?: readonly TierDocument[];
}

/** In the words of a restore job. */
function statusOf({ kind, result }: Retrieval): RetrievalDocument['status'] {
  if (kind !== 'restored') return kind === 'requested' ? 'pending' : 'planned';
  return result.failed.length === 0 ? 'completed' : 'failed';
}

/** The keys of the document. */
export function retrievalDocument(retrieval: Retrieval, jobId: string | undefined): RetrievalDocument {
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

const chunkDocument = ({ key, sizeBytes, storageClass, state, expiresAt, reason }: ThawedChunk): ColdChunk => ({
  key,
  size: sizeBytes,
  storageClass,
  state,
  expiresAt: expiresAt?.toISOString() ?? null,
  reason: reason ?? null,
});

const tierDocument = ({ tier, wait, readyBy, estimate }: TierPlan): TierDocument => ({
  tier,
  wait: wait.text,
  readyBy: readyBy.toISOString(),
  ...estimateDocument(estimate),
});
