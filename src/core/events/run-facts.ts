// What others are told of a run: by pings, hooks and the metrics file. Types alone.

/** Known before it begins. */
export interface NotedRun {
  /** Its words: `sync`, `fleetagent run`. */
  readonly command: string;
  /** What is archived, as it was typed. */
  readonly source: string;
  /** The place above `uploads/`. */
  readonly store: string;
}

/** `partial`: committed, but some files are missing. */
export type RunStatus = 'done' | 'partial' | 'failed' | 'interrupted';

/** What came of it; what is not known is missing. */
export interface RunFacts {
  readonly datasetId?: string | undefined;
  readonly uploadId?: string | undefined;
  /** Null where nothing had changed and no version was written. */
  readonly version?: number | null | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
  readonly storedBytes?: number | undefined;
}

export interface EndedRun extends RunFacts {
  readonly status: RunStatus;
  readonly exitStatus: number;
  /** Why it failed, without secrets. */
  readonly problem?: string | undefined;
  readonly durationMs: number;
  readonly endedAt: Date;
}
