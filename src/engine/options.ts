// What operations take in common: a store, what follows them, and which version and files are meant.
import type { TransferEvent } from '../core/events/events.js';

/** A place that archives lie in, opened. */
export interface Store {
  /** `s3://bucket/prefix` or `file:///folder`. */
  readonly url: string;
  /** Requests that the store was sent so far, repetitions counted in. */
  readonly requests: Readonly<Record<'put' | 'get' | 'list' | 'head' | 'delete' | 'copy' | 'other', number>>;
  /** Closes its connections when nothing is under way any more; it cannot be used afterwards. */
  readonly close: () => void;
}

/**
 * What happens during an operation: few, one for each phase, chunk and problem, and totals at most ten times a second. New types
 * may come with any release.
 */
export type EngineEvent = Exclude<TransferEvent, { readonly type: 'end' | 'cost' }>;

export interface CallOptions {
  /** Ends the operation, which then throws `cancelled`. Nothing that was committed is undone. */
  readonly signal?: AbortSignal | undefined;
  /** Gets the events of the operation, and those of the store while it goes on. What it throws ends the operation. */
  readonly onEvent?: ((event: EngineEvent) => void) | undefined;
}

/** A version: the newest of the only dataset when nothing is said. */
export interface VersionChoice {
  /** Its id, its name, or a beginning that no other has; needed where the store has several. */
  readonly dataset?: string | undefined;
  /** 12, `v12`, `v12.b`, `latest`, or the newest that was made by the end of a day or minute (UTC): `2026-03-31`, `2026-03-31T10:00`. */
  readonly version?: number | string | undefined;
  /** An upload, instead of a version of a dataset. */
  readonly uploadId?: string | undefined;
}

/** Files that fit all of what is said, of each any; everything when nothing is said. */
export interface FileChoice {
  /** Paths as they are listed; a folder includes what is below it. */
  readonly files?: readonly string[] | undefined;
  /** Globs for whole paths: `data/*.csv`, or with two stars for any folders. */
  readonly patterns?: readonly string[] | undefined;
  /** MD5s of contents, in hex. */
  readonly md5s?: readonly string[] | undefined;
}
