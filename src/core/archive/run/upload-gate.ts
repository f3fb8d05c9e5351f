// Types for the decision whether an upload may begin. Types alone, below all steps.
import type { PriceBook } from '../../cost/price-table.js';
import type { Provider } from '../../store/providers/provider.js';
import type { UploadEstimate } from '../../cost/upload-cost.js';

/** The provider whose prices apply if the store is not AWS (undefined: as its address tells), and all prices. */
export interface Prices {
  readonly provider: Provider | undefined;
  readonly book: PriceBook;
}

export interface PlannedAmounts {
  /** Bytes to be stored, before compression. */
  readonly bytes: number;
  /** Cost of a month of storage, and of the requests. */
  readonly billAt: (prices: Prices) => UploadEstimate;
}

/** Called once it is known what will be sent, before anything is. Throws the reason if the upload may not begin. */
export type UploadGate = (planned: PlannedAmounts) => Promise<void>;
