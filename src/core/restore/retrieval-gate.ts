// The type of the decision whether content may be fetched or requested. Types alone, below all steps.
import type { RetrievalEstimate } from '../cost/retrieval-cost.js';

/** What content will cost, and the project of its upload: null where the manifest names none, undefined where it was not read. */
export interface PlannedRetrieval extends Pick<RetrievalEstimate, 'costUsd'> {
  readonly project: string | null | undefined;
}

/**
 * Called with what it will cost to request and fetch content, before anything is asked for; again when that turns out to be more. Throws the
 * reason if it may not begin.
 */
export type RetrievalGate = (planned: PlannedRetrieval) => Promise<void>;
