// Types of what metrics and traces observe of a run, if a flag asks for them. Types alone.
import type { EndedRun, NotedRun } from './run-facts.js';

export type RequestKind = 'put' | 'get' | 'list' | 'head' | 'copy' | 'delete' | 'restore' | 'kms';

/** A request that begins; each attempt is one. */
export interface BegunRequest {
  readonly kind: RequestKind;
  /** Key, if the request is for one object. */
  readonly key?: string;
  /** Bucket of a store in S3; a folder and a key service have none. */
  readonly bucket?: string;
  /** Ms since 1970, with fractions. */
  readonly startedMs: number;
}

/** What went over HTTP for a request. */
export interface HttpExchange {
  readonly method: string;
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Undefined when no answer came. */
  readonly status?: number;
}

/** A request that was answered or failed. */
export interface StoreRequest extends BegunRequest {
  readonly storageClass: string;
  /** Bytes of content that were sent or requested. */
  readonly bytes: number;
  readonly durationMs: number;
  /** The last exchange, where the request went over HTTP. */
  readonly http?: HttpExchange;
  /** Error code, if the request failed. */
  readonly code?: string;
}

/** Takes a request that begins; what it returns takes its end, or undefined where nothing was sent after all (a listing without more pages). */
export type OnRequest = (begun: BegunRequest) => (ended: StoreRequest | undefined) => void;

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
  readonly onRequest: OnRequest;
  readonly metrics?: MetricsBook;
}
