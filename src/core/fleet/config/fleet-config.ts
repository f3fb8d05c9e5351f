// What a fleet writer is told to do: the YAML of an operator, checked (check-fleet-config.ts).

/** Nobody reads more of a config, or of the signature beside it. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/** Where the config of a writer is, below the base of the fleet. */
export const configKey = (writerId: string): string => `fleet/${writerId}/config.yaml`;

/** One folder that a writer archives. */
export interface FleetSource {
  /** Absolute path on the writer's machine. */
  readonly path: string;
  readonly storageClass: string | undefined;
  /** gitignore patterns as those of --include and --exclude. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** False: only the files right in the folder. */
  readonly recursive: boolean;
  /** Files that changed less than this long ago are left for a later cycle, ms. */
  readonly minAgeMs: number;
  /** Asked for in the config; an agent refuses to delete. */
  readonly deleteAfterArchive: boolean;
}

export interface FleetConfig {
  /** Raised before each signing; 1 or more. */
  readonly version: number;
  readonly writerId: string;
  readonly name: string | undefined;
  /** Base of the fleet, s3://bucket/base or file:///…; undefined: where the config was pulled from. */
  readonly storeUrl: string | undefined;
  readonly region: string | undefined;
  readonly storageClass: string | undefined;
  readonly kmsKeyId: string | undefined;
  readonly sources: readonly FleetSource[];
  readonly scanIntervalMs: number | undefined;
  readonly trackDeletes: boolean;
  /** Content of the same size and mtime is not read again because the ctime moved. */
  readonly ignoreCtime: boolean;
  /** A pulled config may widen what is read (new paths …) only with this. */
  readonly allowScopeExpansion: boolean;
}
