// What a restore that may have to do with cold storage adds to its result: text, document, exit status.
import { capVerdict } from '../../core/cost/cost-cap.js';
import type { RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import type { Retrieval, ThawedChunk } from '../../core/restore/retrieve.js';
import { isColdClass } from '../../core/cost/cold-class.js';
import type { TierPlan } from '../../core/thaw/tier-plans.js';
import type { RestoreValues } from '../restore.js';
import type { Retrieved } from './cold-restore.js';
import { isLost, plannedLines, requestedText } from './cold-text.js';

export interface ColdOutcome {
  readonly document: Readonly<Record<string, unknown>>;
  /** In place of the text of a restore. */
  readonly text?: string;
  /** Lines that a dry run adds. */
  readonly planned?: readonly string[];
  /** In place of the status that follows from the files. */
  readonly status?: number;
}

/** What to print, and how to exit. */
export function coldOutcome({ retrieval, jobId }: Retrieved, values: RestoreValues): ColdOutcome {
  const document = documentOf(retrieval, jobId);
  switch (retrieval.kind) {
    case 'restored':
      return { document };
    case 'requested':
      return {
        document: { ...document, readyBy: retrieval.readyBy?.toISOString() ?? null },
        text: requestedText(retrieval, values, jobId ?? ''),
        status: retrieval.chunks.some(isLost) ? 3 : 0,
      };
    case 'planned':
      return plannedOutcome(retrieval, document, values);
    default:
      return retrieval satisfies never;
  }
}

function plannedOutcome(
  planned: Extract<Retrieval, { kind: 'planned' }>,
  document: ColdOutcome['document'],
  { tier, maxRestoreCost }: RestoreValues,
): ColdOutcome {
  const { estimate, tiers } = planned;
  const isRefused = capVerdict(estimate, maxRestoreCost, tiers.length > 0) !== 'within';
  const refusal = isRefused
    ? ['  refused   --max-restore-cost does not allow that: the restore would ask for nothing']
    : [];
  return {
    document: { ...document, tiers: tiers.map(tierDocument) },
    planned: [...plannedLines(planned, tier), ...refusal],
    ...(isRefused && { status: 4 }),
  };
}

/** In the words of a restore job. */
function statusOf({ kind, result }: Retrieval): string {
  if (kind !== 'restored') return kind === 'requested' ? 'pending' : 'planned';
  return result.failed.length === 0 ? 'completed' : 'failed';
}

/** `coldChunks` are those in classes that must be asked back, and those that are missing. */
function documentOf(retrieval: Retrieval, jobId: string | undefined): ColdOutcome['document'] {
  const { chunks, estimate } = retrieval;
  const cold = chunks.filter((chunk) => isColdClass(chunk.storageClass) || isLost(chunk));
  return {
    status: statusOf(retrieval),
    ...(jobId === undefined ? {} : { jobId }),
    ...estimateDocument(estimate),
    coldChunks: cold.map(chunkDocument),
  };
}

const estimateDocument = ({ costUsd, lines, region, isAws, pricesOf }: RetrievalEstimate) => ({
  costUsd,
  lines,
  region,
  isAws,
  pricesOf,
});

const chunkDocument = ({ key, sizeBytes, storageClass, state, expiresAt, reason }: ThawedChunk) => ({
  key,
  bytes: sizeBytes,
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
