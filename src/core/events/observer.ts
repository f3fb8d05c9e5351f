// What is watched of a run where a flag asks for it, by metrics and traces. Types alone.
import type { EndedRun, NotedRun } from './run-facts.js';

export type RequestKind = 'put' | 'get' | 'list' | 'head' | 'copy' | 'delete' | 'restore' | 'kms';

/** A request that was answered or failed; each attempt is one. */
export interface StoreRequest {
  readonly kind: RequestKind;
  /** Of one object. */
  readonly key?: string;
  readonly storageClass: string;
  /** Of content: sent, or asked for. */
  readonly bytes: number;
  /** Ms since 1970, with fractions. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** Of a request that failed. */
  readonly code?: string;
}

/** How much of a budget is used, as a fraction. */
export interface BudgetUse {
  /** Null: the budget of all projects. */
  readonly project: string | null;
  readonly limit: 'cost' | 'volume';
  readonly used: number;
}

/** What metrics are told beside events and requests. */
export interface MetricsBook {
  readonly runEnded: (run: NotedRun, ended: EndedRun) => void;
  /** `text`: the metrics of the fleet, as `metricsText` makes them. */
  fleetSeen(isSeen: boolean, text: string): void;
  budgets(uses: readonly BudgetUse[]): void;
}

export interface RunObserver {
  readonly onRequest: (request: StoreRequest) => void;
  readonly metrics?: MetricsBook;
}
