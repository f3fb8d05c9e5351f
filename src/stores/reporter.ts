import type { TransferStore } from './transfer-store.js';

/** Displays a store's snapshots until it is stopped. */
export interface Reporter {
  /** Shows the last snapshot and the outcome, leaves nothing running, and resolves when everything is written. */
  stop(): Promise<void>;
}

export interface ReporterOptions {
  readonly store: TransferStore;
  readonly now: () => Date;
}
