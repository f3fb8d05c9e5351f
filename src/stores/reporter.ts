import type { TransferStore } from './transfer-store.js';

/** Something that shows a store's snapshots until it is stopped. */
export interface Reporter {
  /** Shows the last snapshot and how it ended, leaves nothing running, and resolves when all of it is written. */
  stop(): Promise<void>;
}

export interface ReporterOptions {
  readonly store: TransferStore;
  readonly now: () => Date;
}
