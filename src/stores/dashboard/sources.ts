// The sources of the dashboard, each with a store of its own.
import type { BudgetStatus } from '../../core/money/budget/status.js';
import type { SentShards } from '../../core/archive/resume/sent-shards.js';
import type { FoundState } from '../../core/archive/resume/state-folder.js';
import type { Source } from './source.js';
import type { StoreSources } from './store-sources.js';
import type { Spending } from './spending.js';

/** The ledger that counts on this computer. */
export interface SpendRead extends Spending {
  /** The ledger that machines share, and when it was read; undefined for that of this computer. */
  readonly sharedLedger: { readonly url: string; readonly readAt: Date } | undefined;
  /** State of the files it was read from: the same while they are unchanged. Undefined when finding that out takes requests. */
  readonly stamp: string | undefined;
  /** Sentences about what could not be counted. */
  readonly notes: readonly string[];
}

export interface BudgetsRead {
  /** The budget of all projects first, then by name. */
  readonly budgets: readonly BudgetStatus[];
  /** Unchanged while nothing changes; undefined when finding that out takes a request. */
  readonly stamp: string | undefined;
  /** The URL where budgets are stored. */
  readonly location: string;
}

/** Uploads of this computer that are under way or can be continued. */
export interface UploadsRead {
  /** Uploads, newest first. */
  readonly uploads: readonly FoundState[];
  /** Time at which the folder was last changed, if nothing in it can have changed since; ms since 1970. */
  readonly settledMs: number | undefined;
  /** The folder of their state files. */
  readonly folder: string;
}

export interface DashboardSources {
  readonly spend: Source<SpendRead>;
  readonly budgets: Source<BudgetsRead>;
  /** Set when budgets are stored in a bucket: reading them takes a request. */
  readonly hasSharedBudgets: boolean;
  readonly uploads: Source<UploadsRead>;
  /** Counts of what one of them has sent. The last requested one is kept. */
  readonly sentOf: (uploadId: string) => Source<SentShards>;
  /** Sources of the store that is shown, when one is named. */
  readonly store?: StoreSources | undefined;
}
