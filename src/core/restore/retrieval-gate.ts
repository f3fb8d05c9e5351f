// The type of the decision whether content may be fetched or requested. Types alone, below all steps.
import type { RetrievalEstimate } from '../cost/retrieval-cost.js';

/**
 * Called with what it will cost to request and fetch content, before anything is asked for; again when that turns out to be more. Throws the
 * reason if it may not begin.
 */
export type RetrievalGate = (estimate: Pick<RetrievalEstimate, 'costUsd'>) => Promise<void>;
