// The plan of an agent's cycles, whether it comes from arguments, a file, or a signed config of the store. Mostly types.
import type { FleetConfig, FleetSource } from '../config/fleet-config.js';

export interface AgentSource extends Omit<FleetSource, 'storageClass'> {
  /** Undefined for that of the version before, as far as it is known, else STANDARD. */
  readonly storageClass: string | undefined;
}

export interface AgentPlan {
  /** Version of the config; null without one. */
  readonly version: number | null;
  readonly intervalMs: number;
  readonly sources: readonly AgentSource[];
  readonly trackDeletes: boolean;
  readonly ignoreCtime: boolean;
  readonly kmsKeyId: string | undefined;
  readonly region: string | undefined;
  /** Address of a monitor of jobs: a secret. */
  readonly pingUrl?: string | undefined;
  /** The base of the fleet; undefined means where the config came from. */
  readonly storeUrl: string | undefined;
}

/** The plan in use, and why a newer one was not accepted. */
export interface PlanState {
  /** Undefined when there has never been a usable plan. */
  readonly plan: AgentPlan | undefined;
  readonly error: string | undefined;
  /** What the store shows as a version that was in use, and is not believed, in one sentence. */
  readonly forged?: string | undefined;
}

/** The result of a look for another config between two cycles. */
export interface PlanLook {
  /** Why the config that lies there was not accepted. */
  readonly error: string | undefined;
  /** `run_now` of a config with a higher version that this look was the first to accept, in ms since 1970. */
  readonly runNowMs: number | undefined;
}

/** Throws only when the agent is cancelled. */
export interface PlanSource {
  /** Asked once per cycle. */
  next(signal: AbortSignal): Promise<PlanState>;
  /** Asked between cycles; undefined where nothing has changed, or that could not be found out. Absent where nothing can change. */
  look?(signal: AbortSignal): Promise<PlanLook | undefined>;
}

/** Settings from the agent's flags, used beside a config. */
export interface PlanDefaults {
  /** Undefined when the config decides. */
  readonly intervalMs: number | undefined;
  readonly defaultIntervalMs: number;
  /** Undefined where no flag says one. */
  readonly storageClass: string | undefined;
  readonly trackDeletes: boolean;
  readonly ignoreCtime: boolean;
}

/** Makes the plan. A source's own storage class wins over that of the config, which wins over that of the flags. */
export function planOf(config: FleetConfig, defaults: PlanDefaults): AgentPlan {
  const { version, kmsKeyId, region, storeUrl, scanIntervalMs, pingUrl } = config;
  return {
    version,
    intervalMs: defaults.intervalMs ?? scanIntervalMs ?? defaults.defaultIntervalMs,
    sources: config.sources.map((source) => ({
      ...source,
      storageClass: source.storageClass ?? config.storageClass ?? defaults.storageClass,
    })),
    trackDeletes: config.trackDeletes || defaults.trackDeletes,
    ignoreCtime: config.ignoreCtime || defaults.ignoreCtime,
    kmsKeyId,
    region,
    storeUrl,
    pingUrl,
  };
}

/** Returns why the plan's request to delete files is refused, because agents are delete-free by design; undefined when it has none. */
export function deleteRefusal({ sources }: Pick<AgentPlan, 'sources'>): string | undefined {
  const [first, ...more] = sources.filter(({ deleteAfterArchive }) => deleteAfterArchive);
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return `delete_after_archive of ${first.path}${others} is refused: an agent deletes nothing, and the files stay`;
}
