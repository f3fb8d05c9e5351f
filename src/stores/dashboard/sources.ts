// What the dashboard can show, each with a store of its own.
import type { BudgetStatus } from '../../core/money/budget/status.js';
import type { SentShards } from '../../core/archive/resume/sent-shards.js';
import type { FoundState } from '../../core/archive/resume/state-folder.js';
import type { Source } from './source.js';
import type { StoreSources } from './store-sources.js';
import type { Spending } from './spending.js';

/** The ledger of this computer. */
export interface SpendRead extends Spending {
  /** Of what it was read from: the same as long as that is. */
  readonly stamp: string;
  /** What could not be counted, in sentences. */
  readonly notes: readonly string[];
}

export interface BudgetsRead {
  /** That of all projects first, then by name. */
  readonly budgets: readonly BudgetStatus[];
  /** The same as long as nothing changes; undefined where that takes a request to find out. */
  readonly stamp: string | undefined;
  /** The URL of the place where they are kept. */
  readonly location: string;
}

/** Uploads of this computer that are under way or can be continued. */
export interface UploadsRead {
  /** Newest first. */
  readonly uploads: readonly FoundState[];
  /** When the folder was last changed, where nothing in it can have changed since; ms since 1970. */
  readonly settledMs: number | undefined;
  /** Where they are noted. */
  readonly folder: string;
}

export interface DashboardSources {
  readonly spend: Source<SpendRead>;
  readonly budgets: Source<BudgetsRead>;
  /** Budgets are kept in a bucket: reading them is a request. */
  readonly hasSharedBudgets: boolean;
  readonly uploads: Source<UploadsRead>;
  /** What one of them has sent. The last one that was asked for is kept. */
  readonly sentOf: (uploadId: string) => Source<SentShards>;
  /** Of the store that is looked at, where one is named. */
  readonly store?: StoreSources | undefined;
}
