// Archives one source of an agent like `sync`: it is resumed if it was interrupted, refused by budgets, and recorded in the ledger as a run
// of its own.
import { resolve } from 'node:path';
import type { Context } from '../../../cli/context.js';
import { archiveInto } from '../../../core/archive/archive-folder.js';
import { excludedTrees, treesBelow } from '../../../core/archive/scan/source-folder.js';
import type { ArchiveOptions } from '../../../core/archive/run/settings.js';
import type { UploadResult } from '../../../core/archive/upload-result.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';
import type { AgentPlan, AgentSource } from '../../../core/fleet/agent/agent-plan.js';
import type { ArchiveLimits, ArchiveSource } from '../../../core/fleet/agent/cycle.js';
import type { StoreRefusals } from '../../../core/store/abilities.js';
import { parseStoreUrl } from '../../../core/store/store-url.js';
import { printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { recordRunFacts, recordRunResult } from '../../kit/account.js';
import { uploadGate } from '../../kit/slots.js';
import { withProgress } from '../../kit/run.js';
import { openForWriting } from '../../kit/store.js';
import { engineEnvironment, uploadMemoryLimit } from '../../upload/engine-options.js';
import { lockOption } from '../../kit/place-options.js';
import { openResumable } from '../../upload/resumable.js';
import { type FolderTarget, placesOf } from '../../upload/run-archive.js';
import type { AgentValues } from './agent-flags.js';

export interface SourceArchiver {
  /** Base URL of the fleet, used if the plan names no other. */
  readonly baseUrl: string;
  readonly writerId: string;
  readonly values: AgentValues;
  readonly context: Context;
  /** Warns of things that cannot be saved on this computer. */
  readonly warn: (text: string) => void;
  /** Operations that the store is currently known to refuse. */
  readonly refusals: () => StoreRefusals;
}

/** Returns a function that archives one source of a plan. */
export const sourceArchiver =
  (archiver: SourceArchiver): ArchiveSource =>
  async (source, plan, limits) => {
    const context = ownContext(archiver, plan);
    const { account } = context;
    let end: unknown = 0;
    try {
      const result = await archiveSource({ ...archiver, context, ...limits }, source, plan);
      end = result.partial ? 3 : 0;
      return result;
    } catch (error) {
      end = error;
      throw error;
    } finally {
      await account.record?.(context, end);
    }
  };

/** Gives the source an account of its own, and the region of the config if no flag sets one. */
function ownContext({ context, values, warn }: SourceArchiver, { region }: AgentPlan): Context {
  const isNamed = region !== undefined && context.origins['region'] !== 'flag' && values.endpointUrl === undefined;
  const origins = isNamed ? { ...context.origins, region: 'config' as const } : context.origins;
  const { open, values: asked } = context.account;
  const account = { isRecorded: true, open, values: asked, onTrouble: warn };
  return { ...context, origins, account };
}

async function archiveSource(
  { baseUrl, writerId, values, context, warn, refusals, mayResend }: SourceArchiver & ArchiveLimits,
  source: AgentSource,
  plan: AgentPlan,
): Promise<UploadResult> {
  const places = placesOf(source.path, plan.storeUrl ?? baseUrl, writerId, context);
  const { url, base } = places;
  refuseTwin(source, places.source, plan);
  const region = context.origins['region'] === 'config' ? (plan.region ?? values.region) : values.region;
  const named = { ...values, region };
  recordRunFacts(context, { operation: 'sync', project: values.project, writerId });
  const gate = uploadGate(values, context);
  const open = openForWriting(url, named, context, { refusals: refusals() });
  const run = {
    command: 'fleetagent run',
    // When the config changes in other ways, what was sent remains useful, as files are compared again. Not so with another lock.
    values: { ...accessOf(named), kmsKeyId: plan.kmsKeyId, objectLock: values.objectLock, retain: values.retain },
    sources: [{ given: source.path, real: places.source }],
    destination: base,
    storeUrl: url,
  };
  const options = engineOptions({ source, plan, places, values, warn, mayResend }, context);
  const { options: resumed, close } = await openResumable(run, { policy: 'same' }, context, options);
  try {
    return await withProgress(context, { progressFormat: formatOf(values) }, async (emit) => {
      emit({ type: 'start', operation: 'sync', source: source.path, target: url });
      const result = await archiveInto(() => open(emit), { ...resumed, uploadGate: gate(emit), emit });
      recordRunResult(context, result);
      return result;
    });
  } finally {
    await close();
  }
}

/** For each plan of a cycle, the path under which a real folder came first. */
const ARCHIVED = new WeakMap<AgentPlan, Map<RawPath, string>>();

/**
 * Refuses a folder that is two sources, one through a link: both are one dataset, and each would undo what the other records. @throws
 * conflict
 */
function refuseTwin({ path }: AgentSource, real: RawPath, plan: AgentPlan): void {
  const archived = ARCHIVED.get(plan) ?? new Map<RawPath, string>();
  ARCHIVED.set(plan, archived);
  const first = archived.get(real) ?? path;
  archived.set(real, first);
  if (first !== path)
    throw new ArchiverError('conflict', `${printable(path)} is the same folder as ${printable(first)}`, {
      hint: 'one of them is a symbolic link: name the folder once',
    });
}

const accessOf = ({ region, profile, endpointUrl, caBundle }: AgentValues): Partial<AgentValues> => ({
  region,
  profile,
  endpointUrl,
  caBundle,
});

/** A service prints a line for each cycle instead of progress. */
const formatOf = ({ progressFormat, once }: AgentValues): AgentValues['progressFormat'] =>
  progressFormat ?? (once ? undefined : 'none');

interface Archived extends Pick<SourceArchiver, 'values' | 'warn'>, ArchiveLimits {
  readonly source: AgentSource;
  readonly plan: AgentPlan;
  readonly places: FolderTarget;
}

function engineOptions(
  { source, plan, places, values, warn, mayResend }: Archived,
  context: Context,
): Omit<ArchiveOptions, 'emit'> {
  const { include, exclude, recursive, minAgeMs } = source;
  const { compressionLevel, shardStrategy, shardCount, manifestCache, manifestCacheDir } = values;
  const isFolder = parseStoreUrl(places.url).kind === 'file';
  const cacheFolder = manifestCacheDir === undefined ? undefined : resolve(context.cwd, manifestCacheDir);
  return {
    ...engineEnvironment(context),
    source: places.source,
    dataset: {
      writerId: places.writerId,
      encryption: { kmsKeyId: plan.kmsKeyId, encryptManifest: false, keep: true },
      changes: { trackDeletes: plan.trackDeletes, ignoreCtime: plan.ignoreCtime, mayResend },
    },
    filter: {
      include,
      exclude,
      isFlat: !recursive,
      settledBeforeMs: minAgeMs === 0 ? undefined : context.now().getTime() - minAgeMs,
      skipTrees: [
        ...excludedTrees(places.source, places.base, context.home),
        ...treesBelow(places.source, cacheFolder === undefined ? [] : [cacheFolder]),
      ],
    },
    packing: {
      compressionLevel: compressionLevel === 0 ? undefined : compressionLevel,
      memoryLimitBytes: uploadMemoryLimit(context),
    },
    layout: {
      shardStrategy,
      shardCount,
      storageClass: (isFolder ? undefined : source.storageClass) ?? 'STANDARD',
      keepsClass: !isFolder && source.storageClass === undefined,
      lock: lockOption(values, places.url),
    },
    labels: { project: values.project },
    cacheFolder,
    ...(manifestCache ? {} : { remembered: {} }),
    warn,
  };
}
