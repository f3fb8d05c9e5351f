// What an agent does in a cycle, whoever says so: arguments, a file, or a signed config of the store. Types, and one rule.
import type { FleetConfig, FleetSource } from '../config/fleet-config.js';

export interface AgentSource extends Omit<FleetSource, 'storageClass'> {
  readonly storageClass: string;
}

export interface AgentPlan {
  /** Of the config; null without one. */
  readonly version: number | null;
  readonly intervalMs: number;
  readonly sources: readonly AgentSource[];
  readonly trackDeletes: boolean;
  readonly ignoreCtime: boolean;
  readonly kmsKeyId: string | undefined;
  readonly region: string | undefined;
  /** The base of the fleet; undefined: where the config came from. */
  readonly storeUrl: string | undefined;
}

/** A plan, and why it is not a newer one. */
export interface PlanState {
  /** Undefined where there has never been one that can be used. */
  readonly plan: AgentPlan | undefined;
  readonly error: string | undefined;
}

/** Asked once a cycle. Never throws but what cancels the agent. */
export interface PlanSource {
  next(signal: AbortSignal): Promise<PlanState>;
}

/** What the flags of the agent say beside a config. */
export interface PlanDefaults {
  /** Undefined: the config says it. */
  readonly intervalMs: number | undefined;
  readonly defaultIntervalMs: number;
  readonly storageClass: string;
  readonly trackDeletes: boolean;
  readonly ignoreCtime: boolean;
}

/** A class of its own for each source, else that of the config, else that of the flags. */
export function planOf(config: FleetConfig, defaults: PlanDefaults): AgentPlan {
  const { version, kmsKeyId, region, storeUrl, scanIntervalMs } = config;
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
  };
}

/** Agents are delete-free by design; undefined where nobody asks for more. */
export function deleteRefusal({ sources }: Pick<AgentPlan, 'sources'>): string | undefined {
  const [first, ...more] = sources.filter(({ deleteAfterArchive }) => deleteAfterArchive);
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return `delete_after_archive of ${first.path}${others} is refused: an agent deletes nothing, and the files stay`;
}
