// What the head of a manifest says of git and DVC.

/** State of the git repository that the source folder lies in, when the upload began. */
export interface GitRecord {
  /** Full hex of HEAD. */
  readonly commit: string;
  /** Absent where HEAD is detached. */
  readonly branch?: string;
  /** A tag of exactly this commit. */
  readonly tag?: string;
  /** URL of `origin`, without credentials. */
  readonly remote?: string;
  /** Something below the source folder differs from the commit. */
  readonly dirty: boolean;
}

/** A dependency or an output of a DVC stage, relative to the source folder. */
export interface DvcPathRecord {
  readonly path: string;
  /** As dvc.lock has it: that of a folder ends in `.dir`. */
  readonly md5?: string;
  readonly size?: number;
  /** Of a folder. */
  readonly nfiles?: number;
}

/** Provenance of one DVC stage. */
export interface DvcStageRecord {
  readonly name: string;
  readonly command: string;
  readonly deps: readonly DvcPathRecord[];
  readonly outs: readonly DvcPathRecord[];
  /** By file, then by key. */
  readonly params: Readonly<Record<string, unknown>>;
  /** MD5 of dvc.lock. */
  readonly lockMd5?: string;
}

/** What an upload noted of DVC. */
export interface DvcRecord {
  /** Cache of the machine that uploaded. */
  readonly cacheDir: string;
  readonly stage?: DvcStageRecord;
  /** Outputs of all stages; with `--dvc-auto`. */
  readonly outs?: readonly DvcPathRecord[];
}
