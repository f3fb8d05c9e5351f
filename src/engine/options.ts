// Options that operations share: a store, events and cancellation, and the choice of version and files.
import type { TransferEvent } from '../core/events/events.js';

/** An opened store of archives. */
export interface Store {
  /** `s3://bucket/prefix` or `file:///folder`. */
  readonly url: string;
  /** Number of requests sent to the store so far, including retries. */
  readonly requests: Readonly<Record<'put' | 'get' | 'list' | 'head' | 'delete' | 'copy' | 'other', number>>;
  /** Closes its connections once nothing is in progress; it cannot be used afterwards. */
  readonly close: () => void;
}

/**
 * Events of an operation: few, one for each phase, chunk and problem, and totals at most ten times a second. New types may be added with
 * any release.
 */
export type EngineEvent = Exclude<TransferEvent, { readonly type: 'end' | 'cost' }>;

export interface CallOptions {
  /** Ends the operation, which then throws `cancelled`. Nothing that was committed is undone. */
  readonly signal?: AbortSignal | undefined;
  /** Gets the events of the operation, and those of the store while it runs. An error that it throws ends the operation. */
  readonly onEvent?: ((event: EngineEvent) => void) | undefined;
}

/** Choice of a version: the newest of the only dataset when nothing is given. */
export interface VersionChoice {
  /** Its ID, its name, or a unique prefix; needed when the store has several. */
  readonly dataset?: string | undefined;
  /** 12, `v12`, `v12.b`, `latest`, a tag, or the newest that was made by the end of a day or minute of this process's time zone: `2026-03-31`, `2026-03-31T10:00` (`…Z`: UTC). */
  readonly version?: number | string | undefined;
  /** An upload, instead of a version of a dataset. */
  readonly uploadId?: string | undefined;
}

/** Choice of files: those that match one value of each given list; everything when nothing is given. */
export interface FileChoice {
  /** Paths as they are listed; a folder includes everything below it. */
  readonly files?: readonly string[] | undefined;
  /** Globs for whole paths: `data/*.csv`, or with two stars for any folders. */
  readonly patterns?: readonly string[] | undefined;
  /** MD5s of contents, in hex. */
  readonly md5s?: readonly string[] | undefined;
}
