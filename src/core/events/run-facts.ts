// Facts about a run that are passed on by pings, hooks and the metrics file. Types alone.

/** Facts that are known before a run begins. */
export interface NotedRun {
  /** Words of the command: `sync`, `fleetagent run`. */
  readonly command: string;
  /** The archived folder, as it was typed. */
  readonly source: string;
  /** The store, which is the place above `uploads/`. */
  readonly store: string;
}

/** `partial`: committed, but some files are missing. */
export type RunStatus = 'done' | 'partial' | 'failed' | 'interrupted';

/** The outcome of a run; facts that are not known are missing. */
export interface RunFacts {
  readonly datasetId?: string | undefined;
  readonly uploadId?: string | undefined;
  /** Null if nothing had changed and no version was written. */
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
