// The result of one look at a fleet, before it is judged.
import type { Heartbeat } from '../heartbeat.js';

/** The stored config of a writer. */
export interface SeenConfig {
  readonly etag: string;
  readonly putAt: Date;
  /** Undefined when it was not read, or cannot be. */
  readonly version: number | undefined;
  /** `scan_interval`; undefined as above, and when it has none. */
  readonly intervalMs?: number | undefined;
  /** URL of the store that it names; undefined as above, and when it names none. */
  readonly storeUrl?: string | undefined;
}

export type SeenHeartbeat =
  /** `putAt` is the store's time of the object. */
  | { readonly kind: 'read'; readonly heartbeat: Heartbeat; readonly putAt: Date }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly putAt: Date | undefined }
  | { readonly kind: 'none' };

/** What the store has of one dataset. */
export interface StoredDataset {
  readonly datasetId: string;
  /** The newest version; null when all were retired. */
  readonly version: number | null;
  /** By the store's clock. */
  readonly storedAt: Date | null;
  /** The usual time from one version to the next; null when there are too few. */
  readonly storedEveryMs: number | null;
  /** When each version that was listed came, retired ones included. */
  readonly recordTimes: ReadonlyMap<number, Date>;
}

export type SeenStore =
  /** `isWhole`: false when only the datasets that the heartbeat speaks of were looked at. */
  | { readonly kind: 'seen'; readonly datasets: readonly StoredDataset[]; readonly isWhole: boolean }
  | { readonly kind: 'unseen'; readonly reason: string }
  /** The config sends archives to another store. */
  | { readonly kind: 'elsewhere'; readonly url: string };

export interface WriterObservation {
  readonly writerId: string;
  readonly seen: SeenHeartbeat;
  readonly config: SeenConfig | undefined;
  /** Undefined when there is no heartbeat that could be compared with it. */
  readonly stored?: SeenStore | undefined;
}

export interface FleetObservation {
  /** By the store's clock, when the look began. */
  readonly storeTime: Date;
  /** Writers that have a heartbeat or a config, by id. */
  readonly writers: readonly WriterObservation[];
  /** Names below `writers/` with neither: uploads with --writer-id. */
  readonly others: readonly string[];
  /** Keys below `writers/` and `fleet/` that are of no writer. */
  readonly odd: readonly string[];
  /** Why it is not known which writers have configs; undefined when it is. */
  readonly configsUnknown: string | undefined;
}
