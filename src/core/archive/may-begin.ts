// What whoever decides whether an upload may begin is told. Types alone, below all steps.
import type { Usd } from '../cost/money.js';

export interface PlannedAmounts {
  /** Before compression. */
  readonly bytes: number;
  /** A month of storage, and the requests; null where a price is not known. */
  readonly costUsd: Usd;
}

/** Asked once it is known what will be sent, before anything is. Throws what keeps the upload from beginning. */
export type MayBegin = (planned: PlannedAmounts) => Promise<void>;
