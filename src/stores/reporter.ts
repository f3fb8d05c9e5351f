import type { TransferStore } from './transfer-store.js';

/** How an operation ended, for the last thing a reporter says. */
export type Outcome =
  | { readonly status: 'done' }
  | { readonly status: 'interrupted' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string; readonly hint: string | undefined };

/** Something that shows a store's snapshots until it is stopped. */
export interface Reporter {
  /** Shows the last snapshot, leaves nothing running, and resolves when all of it is written. */
  stop(outcome: Outcome): Promise<void>;
}

export interface ReporterOptions {
  readonly store: TransferStore;
  readonly now: () => Date;
}
