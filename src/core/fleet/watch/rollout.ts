// Counts who runs which version of the configs that lie in the store. Pure.
import { listsByKey } from '../../platform/lists-by-key.js';
import type { WriterStatus } from './judge.js';

export interface Rollout {
  /** Number of writers for which a config lies there. */
  readonly configured: number;
  /** Number of those that run the version that lies there. */
  readonly current: number;
  /** Number of writers on each version of a config, the highest first. */
  readonly versions: readonly { readonly configVersion: number; readonly writerCount: number }[];
}

/** Returns who runs which config. */
export function rolloutOf(writers: readonly WriterStatus[]): Rollout {
  const configured = writers.filter(({ config }) => config !== undefined);
  const running = writers.flatMap(({ heartbeat }) => heartbeat?.configVersion ?? []);
  const versions = Array.from(
    listsByKey(running, (version) => version),
    ([configVersion, own]) => ({ configVersion, writerCount: own.length }),
  );
  return {
    configured: configured.length,
    current: configured.filter(
      ({ heartbeat, config }) => config?.version !== undefined && heartbeat?.configVersion === config.version,
    ).length,
    versions: versions.toSorted((one, other) => other.configVersion - one.configVersion),
  };
}
