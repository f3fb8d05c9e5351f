// What is told of a run that uses a store, for whoever keeps account of it.
import type { Operation } from './events.js';

/** What was done. A thaw asks for content of cold storage and reads none. */
export const RECORDED_OPERATIONS = [
  'upload',
  'sync',
  'migrate',
  'copy',
  'restore',
  'download',
  'thaw',
  'prune',
  'balance',
  'repair',
  'scuttle',
  'lock-extend',
] as const satisfies readonly (Operation | 'thaw')[];

/** What a command tells while it runs. */
export interface RunAbout {
  readonly operation: (typeof RECORDED_OPERATIONS)[number];
  /** As --project says. */
  readonly project?: string | undefined;
  readonly datasetId?: string | undefined;
  readonly uploadId?: string | undefined;
  readonly writerId?: string | undefined;
  readonly gitCommit?: string | undefined;
  readonly dvcStage?: string | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
}

/** What an upload that made a version looked like, and how it was made. */
export interface UploadShape {
  readonly files: number;
  /** Of the files. */
  readonly bytes: number;
  /** In the store. */
  readonly storedBytes: number;
  readonly chunks: number;
  readonly durationMs: number;
  /** Of all kinds. */
  readonly requests: number;
  /** What was said, or the program chose. */
  readonly parameters: {
    readonly storageClass?: string;
    /** By content where this is missing. */
    readonly compressionLevel?: number;
    readonly frameBytes?: number;
    readonly shards?: number;
    readonly dedup?: boolean;
    readonly direct?: boolean;
    readonly changesOnly?: boolean;
  };
}
