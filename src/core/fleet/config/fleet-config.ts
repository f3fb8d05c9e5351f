// The config of a fleet writer: an operator's YAML after validation (check-fleet-config.ts).

/** Limit of the size of a config, and of its signature. */
export const MAX_CONFIG_BYTES = 1024 * 1024;

/** Returns the key of a writer's config, relative to the base of the fleet. */
export const configKey = (writerId: string): string => `fleet/${writerId}/config.yaml`;

/** One folder that a writer archives. */
export interface FleetSource {
  /** Absolute path on the writer's machine. */
  readonly path: string;
  readonly storageClass: string | undefined;
  /** gitignore patterns, like those of --include and --exclude. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** False for only the files directly in the folder. */
  readonly recursive: boolean;
  /** Files that changed less than this many ms ago are left for a later cycle. */
  readonly minAgeMs: number;
  /** Its path may lead elsewhere, or to another file system, than before. */
  readonly mayMove: boolean;
  /** It may lose most of its files, or all. */
  readonly mayShrink: boolean;
  /** From this share of changed files on they are looked at for signs of encryption; 100 for never. */
  readonly maxChangedPercent: number;
  /** As requested in the config; an agent refuses to delete. */
  readonly deleteAfterArchive: boolean;
}

/** What is not said of a source. */
export const SOURCE_DEFAULTS = { mayMove: false, mayShrink: false, maxChangedPercent: 50 } as const;

export interface FleetConfig {
  /** Raised before each signing; at least 1. */
  readonly version: number;
  readonly writerId: string;
  readonly name: string | undefined;
  /** Base of the fleet, s3://bucket/base or file:///…; undefined means where the config was pulled from. */
  readonly storeUrl: string | undefined;
  readonly region: string | undefined;
  readonly storageClass: string | undefined;
  readonly kmsKeyId: string | undefined;
  readonly sources: readonly FleetSource[];
  readonly scanIntervalMs: number | undefined;
  /** When the operator asked for a cycle outside the schedule, in ms since 1970. */
  readonly runNowMs: number | undefined;
  /** Address of a monitor of jobs that each cycle pings: a secret, as who knows it can ping there. */
  readonly pingUrl: string | undefined;
  readonly trackDeletes: boolean;
  /** Files of the same size and mtime are not read again when only their ctime has changed. */
  readonly ignoreCtime: boolean;
  /** Only with this may a pulled config widen what is read, such as by new paths. */
  readonly allowScopeExpansion: boolean;
}
