// How far a plan is, as data for programs.
import { uploadUrlOf } from '../../store/ids/upload-id.js';
import type { SeenPlan } from './living-plans.js';
import type { PartStatus, PlanStatus } from './plan-status.js';
import type { ReadPlan } from './read-plan.js';

/** The keys of its JSON document. */
export function planDocument({ uploadId, head }: ReadPlan, status: PlanStatus, location: string) {
  const { parts, bytes, bytesDone, storedBytes, bytesPerSecond = null, etaMs, isCommitted } = status;
  return {
    uploadId,
    location,
    datasetId: head.datasetId,
    partCount: parts.length,
    partStates: parts.map(partDocument),
    bytes,
    bytesDone,
    storedBytes,
    bytesPerSecond,
    ...(etaMs === undefined ? {} : { etaMs }),
    isCommitted,
  };
}

const partDocument = ({ part, state, attempt, files, bytes }: PartStatus) => ({
  planPart: part,
  partState: state,
  attemptId: attempt?.uploadId ?? null,
  files,
  bytes,
  storedBytes: attempt?.storedBytes ?? 0,
  lastStoredAt: attempt === undefined ? null : new Date(attempt.newestMs).toISOString(),
  host: attempt?.host ?? null,
});

/** The same of a plan in the store at this URL; of one that cannot be read, the reason. */
export function seenPlanDocument(seen: SeenPlan, storeUrl: string) {
  const { uploadId } = seen;
  const location = uploadUrlOf(storeUrl, uploadId);
  return seen.problem === null
    ? planDocument(seen.plan, seen.status, location)
    : { uploadId, location, problem: seen.problem };
}
