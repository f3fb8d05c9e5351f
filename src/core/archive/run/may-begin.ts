// What whoever decides whether an upload may begin is told. Types alone, below all steps.
import type { PriceBook } from '../../cost/price-table.js';
import type { Provider } from '../../store/providers/provider.js';
import type { UploadEstimate } from '../../cost/upload-cost.js';

/** Whose prices hold where a store is not AWS (undefined: what its address tells), and all prices. */
export interface Prices {
  readonly provider: Provider | undefined;
  readonly book: PriceBook;
}

export interface PlannedAmounts {
  /** Before compression. */
  readonly bytes: number;
  /** A month of storage, and the requests. */
  readonly billAt: (prices: Prices) => UploadEstimate;
}

/** Asked once it is known what will be sent, before anything is. Throws what keeps the upload from beginning. */
export type MayBegin = (planned: PlannedAmounts) => Promise<void>;
