// The events of a long operation. Core emits them; stores fold them for screens and reporters, other consumers log them.
// Events are few: one per phase, per chunk, per problem, and totals at most ten times a second; never one per file.

/** An operation, as people and machines read it. The words for each are in `stores/operations.ts`. */
export type Operation =
  | 'upload'
  | 'sync'
  | 'plan'
  | 'work'
  | 'commit'
  | 'restore'
  | 'download'
  | 'verify'
  | 'drill'
  | 'migrate'
  | 'copy'
  | 'prune'
  | 'balance'
  | 'repair'
  | 'scuttle'
  | 'load'
  | 'dvc status'
  | 'dvc export'
  | 'estimate'
  | 'analyze'
  | 'analyze folder'
  | 'benchmark'
  | 'fleet status'
  | 'lock-extend';

/** A phase of an operation. Each operation has some of them; a plan applies to the phase that it is made in. */
export type Phase =
  | 'scanning'
  | 'reading'
  | 'listing'
  | 'comparing'
  | 'transferring'
  | 'copying'
  | 'deleting'
  | 'rebuilding'
  | 'committing'
  | 'finishing';

/** `plan`: finds out what is to be done. `manifest`: makes the manifest. `commit`: makes it a version. */
export type Step = 'plan' | 'manifest' | 'commit';

/** How an operation ended. */
export type Outcome =
  /** `result` is the document that the operation's command prints with `--json`. */
  | { readonly status: 'done'; readonly result?: unknown }
  | { readonly status: 'interrupted' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string; readonly hint: string | undefined };

export type TransferEvent =
  | { readonly type: 'start'; readonly operation: Operation; readonly source: string; readonly target: string }
  | { readonly type: 'phase'; readonly phase: Phase }
  /** A step of an operation begins; for traces, while people are shown phases. */
  | { readonly type: 'step'; readonly step: Step; readonly uploadId: string }
  /** Still counting: this many items and bytes found. Items are what the operation counts: files, objects, entries … */
  | { readonly type: 'scan'; readonly items: number; readonly bytes: number }
  /** From here on the totals are known, and progress starts at zero. */
  | PlanEvent
  /** Most that the plan costs; not emitted if nothing costs anything or no price is known. */
  | CostEvent
  /** Totals so far, not increments. `bytes` counts source bytes read (upload) or written (restore). */
  | { readonly type: 'progress'; readonly items: number; readonly bytes: number; readonly path?: string }
  | SentEvent
  | {
      readonly type: 'chunk';
      /** `packed`: it waits to be sent, or is being sent; only in uploads. */
      readonly state: 'started' | 'packed' | 'finished';
      readonly chunk: number;
      readonly shard: number;
      /** Total size of the files in it. */
      readonly rawBytes: number;
      /** Bytes that were compressed: without holes, with the headers of the tar stream. */
      readonly packedBytes?: number;
      readonly storedBytes: number;
    }
  | RetryEvent
  /** A retried request has got its answer, or was given up. */
  | { readonly type: 'settled'; readonly request: string }
  | { readonly type: 'skip'; readonly path: string; readonly reason: string }
  /** Chunks in cold storage were requested; they are checked next at `nextLookAt`. */
  | ThawEvent
  /** A line worth showing once (a setting that took effect, something that could not be kept). */
  | { readonly type: 'note'; readonly text: string }
  /** The last event. It comes from the runner of the operation, which alone knows the result. */
  | { readonly type: 'end'; readonly outcome: Outcome };

export interface PlanEvent {
  readonly type: 'plan';
  readonly items: number;
  readonly bytes: number;
  readonly chunks?: number;
  /** Bytes planned for each shard, if shards matter. */
  readonly shardBytes?: readonly number[];
  /** For people, e.g. "zstd content-aware (default 3)". */
  readonly compression?: string;
}

export interface CostEvent {
  readonly type: 'cost';
  /** A month of storage; null if a price is not known, as in the next field. */
  readonly monthlyUsd: number | null;
  /** The requests of this run. */
  readonly requestsUsd: number | null;
}

/** What an upload has sent so far of its plan: all displays and the saved state show these totals. */
export interface SentEvent {
  readonly type: 'sent';
  /** Files whose content the store has acknowledged. */
  readonly items: number;
  /** Source bytes; a chunk under way counts by the share of it that was sent. They never fall before the next plan. */
  readonly bytes: number;
  /** Bytes that went over the wire, repetitions included. */
  readonly storedBytes: number;
}

/** A request failed and is retried after a wait. */
export interface RetryEvent {
  readonly type: 'retry';
  readonly request: string;
  /** The service: `store`, `KMS`. */
  readonly service: string;
  /** The attempt that failed, counting from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Time until the next attempt. */
  readonly waitMs: number;
  readonly trouble: RetryTrouble;
  readonly reason: string;
}

/** `busy`: it asked for fewer requests. `failed`: it answered with another temporary failure. */
export type RetryTrouble = 'unreachable' | 'busy' | 'failed';

export interface ThawEvent {
  readonly type: 'thaw';
  /** Number and bytes of the selected files. */
  readonly files: number;
  readonly bytes: number;
  /** Storage classes of the cold chunks. */
  readonly storageClasses: readonly string[];
  readonly tier: 'expedited' | 'standard' | 'bulk';
  /** How long it takes, for people: `3-5 h`; undefined where that is not known. */
  readonly wait: string | undefined;
  /** Null if a price is not known. */
  readonly costUsd: number | null;
  /** State of every chunk that is needed. */
  readonly chunks: readonly ('readable' | 'thawing' | 'cold' | 'missing' | 'denied')[];
  /** When the chunks are checked next, in ms since 1970. */
  readonly nextLookAtMs: number;
  /** The saved job, if there is one. */
  readonly jobId: string | undefined;
}

export type EventSink = (event: TransferEvent) => void;
