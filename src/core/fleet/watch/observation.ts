// What one look at a fleet found, before anything is made of it.
import type { Heartbeat } from '../heartbeat.js';

/** The config that lies at the store for a writer. */
export interface SeenConfig {
  readonly etag: string;
  readonly putAt: Date;
  /** Undefined where it was not read, or cannot be. */
  readonly version: number | undefined;
}

export type SeenHeartbeat =
  /** `putAt` is the store's own time of it. */
  | { readonly kind: 'read'; readonly heartbeat: Heartbeat; readonly putAt: Date }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly putAt: Date | undefined }
  | { readonly kind: 'none' };

export interface WriterObservation {
  readonly writerId: string;
  readonly seen: SeenHeartbeat;
  readonly config: SeenConfig | undefined;
}

export interface FleetObservation {
  /** By the store's clock, when the look began. */
  readonly storeTime: Date;
  /** By their ids, those that have a heartbeat or a config. */
  readonly writers: readonly WriterObservation[];
  /** What has a prefix below `writers/` and neither: uploads with --writer-id. */
  readonly others: readonly string[];
  /** Why it is not known which writers have configs. */
  readonly configsUnknown: string | undefined;
}
