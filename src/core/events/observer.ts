// Types of what metrics and traces observe of a run, if a flag asks for them. Types alone.
import type { EndedRun, NotedRun } from './run-facts.js';

export type RequestKind = 'put' | 'get' | 'list' | 'head' | 'copy' | 'delete' | 'restore' | 'kms';

/** A request that was answered or failed; each attempt is one. */
export interface StoreRequest {
  readonly kind: RequestKind;
  /** Key, if the request is for one object. */
  readonly key?: string;
  readonly storageClass: string;
  /** Bytes of content that were sent or requested. */
  readonly bytes: number;
  /** Ms since 1970, with fractions. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** Error code, if the request failed. */
  readonly code?: string;
}

/** How much of a budget is used, as a fraction. */
export interface BudgetUse {
  /** Null for the budget of all projects. */
  readonly project: string | null;
  readonly limit: 'cost' | 'volume';
  readonly used: number;
}

/** Facts for metrics besides events and requests. */
export interface MetricsBook {
  readonly runEnded: (run: NotedRun, ended: EndedRun) => void;
  /** `text` has the metrics of the fleet, as `metricsText` makes them. */
  fleetSeen(isSeen: boolean, text: string): void;
  budgets(uses: readonly BudgetUse[]): void;
}

export interface RunObserver {
  readonly onRequest: (request: StoreRequest) => void;
  readonly metrics?: MetricsBook;
}
