// The result of one look at a fleet, before it is judged.
import type { Heartbeat } from '../heartbeat.js';

/** The stored config of a writer. */
export interface SeenConfig {
  readonly etag: string;
  readonly putAt: Date;
  /** Undefined when it was not read, or cannot be. */
  readonly version: number | undefined;
}

export type SeenHeartbeat =
  /** `putAt` is the store's time of the object. */
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
  /** Writers that have a heartbeat or a config, by id. */
  readonly writers: readonly WriterObservation[];
  /** Names below `writers/` with neither: uploads with --writer-id. */
  readonly others: readonly string[];
  /** Keys below `writers/` and `fleet/` that are of no writer. */
  readonly odd: readonly string[];
  /** Why it is not known which writers have configs; undefined when it is. */
  readonly configsUnknown: string | undefined;
}
