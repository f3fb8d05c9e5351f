// Joins `archiver upload` to the upload service: flags to options, events to progress, the result to text or JSON.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import pkg from '../../../package.json' with { type: 'json' };
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { readPatternFile } from '../../core/archive/filter.js';
import type { TierPolicy } from '../../core/archive/tier.js';
import { upload, type UploadOptions, type UploadResult } from '../../core/archive/upload.js';
import { autoWriterId, checkWriterId } from '../../core/dataset/identity.js';
import { usageError } from '../../core/errors.js';
import { openStore } from '../../core/object-store/open-store.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl } from '../../core/object-store/store-url.js';
import { finalLines } from '../../screens/progress/final-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import type { UploadValues } from '../upload.js';
import { resolveSource, treesToSkip } from './source-folder.js';

const MIB = 2 ** 20;
const MIN_MEMORY = 192 * MIB;
const COLD = new Set(['GLACIER', 'DEEP_ARCHIVE']);

export interface UploadTarget {
  readonly source: string;
  readonly destination: string | undefined;
}

/** Runs the command; returns its exit status. */
export async function runUpload(values: UploadValues, target: UploadTarget, context: Context): Promise<number> {
  const base = destinationUrl(values, target.destination);
  const writerId = writerIdOf(values.writerId);
  const url = writerId === undefined ? base : joinStoreUrl(base, 'writers', writerId);
  const source = resolveSource(target.source, context.cwd);
  await confirmCold(values, context);
  const fixed = uploadOptions(values, context, url);
  const result = await runWithProgress(context, { progressFormat: values.progressFormat }, (emit) => {
    emit({ type: 'start', operation: 'upload', source: target.source, target: url });
    return upload({
      ...fixed,
      source,
      writerId,
      filter: { ...fixed.filter, skipTrees: treesToSkip(source, base, context.home) },
      open: (onEvent) =>
        openStore(url, {
          env: context.env,
          region: values.region,
          regionGiven: context.origins['region'] !== 'default',
          defaultRegion: 'us-west-2',
          profile: values.profile,
          endpointUrl: values.endpointUrl,
          limitUploadBytesPerSecond: values.limitUpload,
          onEvent,
          signal: context.signal,
        }),
      emit,
    });
  });
  const { partial, ...document } = result;
  context.result(document, () => resultText(result, context));
  return partial ? 3 : 0;
}

type FixedOptions = Omit<UploadOptions, 'source' | 'writerId' | 'open' | 'emit'>;

function uploadOptions(values: UploadValues, context: Context, url: string): FixedOptions {
  const isFolder = parseStoreUrl(url).kind === 'file';
  if (isFolder && (values.autoTier || values.storageClass !== 'STANDARD')) {
    throw usageError(
      `a folder has no storage classes: ${values.autoTier ? '--auto-tier' : `--storage-class ${values.storageClass}`} needs an s3:// destination`,
    );
  }
  const { memoryLimitBytes } = context;
  if (memoryLimitBytes !== undefined && memoryLimitBytes < MIN_MEMORY) {
    throw usageError(`--memory-limit must be at least ${MIN_MEMORY / MIB}MiB for an upload`);
  }
  const excludeLines =
    values.excludeFile === undefined ? [] : readPatternFile(values.excludeFile, (path) => readFileSync(path, 'utf8'));
  return {
    host: hostname(),
    filter: {
      exclude: values.exclude,
      include: values.include,
      excludeLines,
      excludeCaches: values.excludeCaches,
      oneFileSystem: values.oneFileSystem,
      skipTrees: [],
    },
    shardStrategy: values.shardStrategy,
    shardCount: values.shardCount,
    compressionLevel: values.compressionLevel,
    frameBytes: values.frameSize,
    storageClass: values.storageClass,
    tiers: tierPolicy(values, context.now()),
    tags: values.tag,
    project: values.project,
    fileChecksums: values.fileChecksums,
    transfer: {
      optimization: values.optimization,
      congestionControl: values.congestionControl,
      transporter: values.transporter,
      disableStaging: values.disableStaging,
    },
    workers: workersFor(memoryLimitBytes),
    memoryLimitBytes,
    dryRun: values.dryRun,
    tool: `archiver ${pkg.version}`,
    now: context.now,
    randomBytes,
    signal: context.signal,
  };
}

// One worker a core, up to sixteen: beyond that the main thread's sending is the limit. Less memory, fewer workers.
function workersFor(memoryLimitBytes: number | undefined): number {
  const cores = Math.min(16, Math.max(1, availableParallelism()));
  if (memoryLimitBytes === undefined) return cores;
  return Math.max(1, Math.min(cores, Math.floor((memoryLimitBytes / MIB - 128) / 96)));
}

function tierPolicy(values: UploadValues, now: Date): TierPolicy | undefined {
  if (!values.autoTier) return undefined;
  return {
    strategy: values.tierStrategy,
    hotDays: values.tierHotDays,
    coldDays: values.tierColdDays,
    archiveDays: values.tierArchiveDays,
    max: values.tierMax,
    nowSeconds: now.getTime() / 1000,
  };
}

function destinationUrl(values: UploadValues, destination: string | undefined): string {
  const url = destination ?? joinStoreUrl(`s3://${values.bucket ?? ''}`, values.prefix ?? '');
  if (splitUploadUrl(url) !== undefined) {
    throw usageError(`${url} is an upload; name the place above uploads/ that new uploads go to`);
  }
  return joinStoreUrl(url);
}

function writerIdOf(given: string): string | undefined {
  if (given === '') return undefined;
  return given === 'auto' ? autoWriterId(hostname(), machineId()) : checkWriterId(given);
}

// systemd's id survives renaming the machine; elsewhere the host name has to do.
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    return hostname();
  }
}

async function confirmCold(values: UploadValues, context: Context): Promise<void> {
  const isCold = COLD.has(values.storageClass) || (values.autoTier && COLD.has(values.tierMax ?? 'DEEP_ARCHIVE'));
  if (!isCold || values.dryRun || values.yes || context.stdin.isTTY !== true || context.stderr.isTTY !== true) return;
  const what = values.autoTier ? 'Files not read lately go to' : 'Everything goes to';
  const question = `${what} cold storage: billed for at least 90 days (GLACIER) or 180 days (DEEP_ARCHIVE), hours to read back. Continue?`;
  if (!(await context.confirm(question))) throw usageError('not uploaded: the answer was no');
}

function resultText(result: UploadResult, context: Context): string {
  const { files, bytes, chunks, shards, version } = result;
  if (version === null) {
    const size = `${formatQuantity(files, 'file')}, ${formatBytes(bytes)}`;
    return `Would upload ${size} in ${formatQuantity(chunks, 'chunk')} over ${shards} shards to ${result.location.replace(/\/uploads\/[^/]*$/, '')}\nNothing was written (--dry-run).\n`;
  }
  const look = lookOf(context.colors.stdout, context.env);
  const lines = finalLines({ ...result, version, operation: 'upload', problems: result.skipped }, look);
  return `${lines.join('\n')}\n`;
}
