// What a long operation tells the world while it runs. Core emits, `src/stores` folds, views and reporters read the fold.
// Events are few: one per phase, per chunk, per trouble, and a `progress` at most ten times a second; never one per file.

export type Operation = 'upload' | 'restore' | 'download' | 'verify';

export type TransferEvent =
  | { readonly type: 'start'; readonly operation: Operation; readonly source: string; readonly target: string }
  /** Still counting: so many entries and bytes found. */
  | { readonly type: 'scan'; readonly files: number; readonly bytes: number }
  /** From here on the totals are known. `compression` is what a person is told, e.g. "zstd content-aware (default 3)". */
  | {
      readonly type: 'plan';
      readonly files: number;
      readonly bytes: number;
      readonly chunks: number;
      /** Bytes planned for each shard; empty where shards do not matter. */
      readonly shardBytes: readonly number[];
      readonly compression?: string;
    }
  /** Totals so far, not increments. `bytes` counts source bytes read (upload) or written (restore). */
  | { readonly type: 'progress'; readonly files: number; readonly bytes: number; readonly path?: string }
  | {
      readonly type: 'chunk';
      readonly state: 'started' | 'finished';
      readonly chunk: number;
      readonly shard: number;
      readonly rawBytes: number;
      readonly storedBytes: number;
    }
  | { readonly type: 'retry'; readonly request: string; readonly attempt: number; readonly reason: string }
  | { readonly type: 'skip'; readonly path: string; readonly reason: string }
  | { readonly type: 'phase'; readonly phase: 'scanning' | 'transferring' | 'committing' | 'finishing' }
  /** Chunks in cold storage were asked back, and the next look at them comes at `nextLookAt`. */
  | ThawEvent
  /** A line worth showing once (a setting that took effect, something that could not be kept). */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'done' };

export interface ThawEvent {
  readonly type: 'thaw';
  /** What is selected. */
  readonly files: number;
  readonly bytes: number;
  /** Of the cold chunks: `GLACIER`, or several with commas. */
  readonly storageClasses: string;
  /** `standard tier 3-5 h`. */
  readonly tier: string;
  /** Null where a price is not known. */
  readonly costUsd: number | null;
  /** Of every chunk that is needed. */
  readonly chunks: readonly ('readable' | 'thawing' | 'cold' | 'missing' | 'denied')[];
  /** Ms since 1970. */
  readonly nextLookAtMs: number;
  /** The job that is saved, where there is one. */
  readonly jobId: string | undefined;
}

export type EventSink = (event: TransferEvent) => void;
