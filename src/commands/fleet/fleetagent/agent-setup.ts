// Tells the three forms of `fleetagent run` apart: id of the writer, base of the fleet, and where its plans come from.
import { isGiven } from '../../kit/run.js';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.js';
import { agentMemory, agentPath } from '../../../core/fleet/agent/agent-memory.js';
import { type AgentPlan, type PlanDefaults, type PlanSource, planOf } from '../../../core/fleet/agent/agent-plan.js';
import { FileConfig, readConfigFile } from '../../../core/fleet/agent/file-config.js';
import { keptConfig } from '../../../core/fleet/agent/kept-config.js';
import { PulledConfig } from '../../../core/fleet/agent/pulled-config.js';
import { readPublicKeys } from '../../../core/fleet/config/signature.js';
import { SOURCE_DEFAULTS } from '../../../core/fleet/config/fleet-config.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { storeUrlOf } from '../../../core/store/store-url.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { writerIdOf } from '../../kit/dataset-target.js';
import { baseUrlOf } from '../../upload/engine-options.js';
import { withoutClassOfFolder } from '../../kit/place-options.js';
import { readNamed } from './named-file.js';
import { openFleet } from './open-fleet.js';
import type { AgentValues } from './agent-flags.js';

export const DEFAULT_INTERVAL_MS = 3_600_000;

export interface AgentSetup {
  /** Base URL of the fleet. */
  readonly baseUrl: string;
  readonly writerId: string;
  readonly plans: PlanSource;
}

type Args = readonly [source: string | undefined, url: string | undefined];

/** Resolves the flags and arguments. @throws usage for what cannot be used; what reading a config or a key throws */
export async function agentSetup(
  values: AgentValues,
  [source, url]: Args,
  context: Context,
  warn: (text: string) => void,
): Promise<AgentSetup> {
  const { config, configUrl } = values;
  if (config !== undefined) return await fileSetup(resolve(context.cwd, config), values, context, warn);
  if (configUrl !== undefined) return await pulledSetup(configUrl, values, context, warn);
  return folderSetup(source ?? '', baseUrlOf(url ?? ''), values, context);
}

/** Defaults for the plans; a folder has no storage classes, so none is set there. */
function defaultsOf(baseUrl: string, values: AgentValues, context: Context): PlanDefaults {
  const { storageClass: given } = withoutClassOfFolder(baseUrl, values, context);
  const storageClass = isGiven(context, 'storageClass') ? given : undefined;
  const { interval: intervalMs, trackDeletes, ignoreCtime } = values;
  return { intervalMs, defaultIntervalMs: DEFAULT_INTERVAL_MS, storageClass, trackDeletes, ignoreCtime };
}

function folderSetup(source: string, baseUrl: string, values: AgentValues, context: Context): AgentSetup {
  const { storageClass, trackDeletes, ignoreCtime } = defaultsOf(baseUrl, values, context);
  const whole = {
    include: [],
    exclude: [],
    recursive: true,
    minAgeMs: 0,
    deleteAfterArchive: false,
    ...SOURCE_DEFAULTS,
  };
  const plan: AgentPlan = {
    version: null,
    intervalMs: values.interval ?? DEFAULT_INTERVAL_MS,
    sources: [{ path: resolve(context.cwd, source), storageClass, ...whole }],
    trackDeletes,
    ignoreCtime,
    kmsKeyId: undefined,
    region: undefined,
    storeUrl: undefined,
  };
  const plans = { next: () => Promise.resolve({ plan, error: undefined }) };
  return { baseUrl, writerId: writerIdOf(values.writerId) ?? '', plans };
}

async function fileSetup(
  path: string,
  values: AgentValues,
  context: Context,
  warn: (text: string) => void,
): Promise<AgentSetup> {
  const config = await readConfigFile(path);
  if (config.storeUrl === undefined)
    throw usageError(`${printable(path)} does not say where the store is`, 'add store: s3://bucket/prefix');
  const baseUrl = baseUrlOf(config.storeUrl);
  const defaults = defaultsOf(baseUrl, values, context);
  const plans = new FileConfig(path, config, (read) => planOf(read, defaults), warn);
  return { baseUrl, writerId: writerIdOf(values.writerId) ?? config.writerId, plans };
}

async function pulledSetup(
  configUrl: string,
  values: AgentValues,
  context: Context,
  warn: (text: string) => void,
): Promise<AgentSetup> {
  const baseUrl = baseUrlOf(storeUrlOf(configUrl, context.cwd) ?? configUrl);
  const writerId = writerIdOf(values.writerId) ?? '';
  const publicKeys = (await readNamed(values.publicKey ?? '', context)).toString();
  readPublicKeys(publicKeys);
  const defaults = defaultsOf(baseUrl, values, context);
  const path = agentPath(context.home, { baseUrl, writerId });
  const plans = new PulledConfig({
    writerId,
    publicKeys,
    kept: keptConfig(path),
    lastVersion: () => agentMemory(path, warn).newestConfig(),
    planOf: (config) => planOf(config, defaults),
    onTrouble: warn,
    async withFleet(work) {
      const opened = await openFleet(baseUrl, values, context);
      try {
        return await work(opened.store);
      } finally {
        opened.close();
      }
    },
  });
  return { baseUrl, writerId, plans };
}
