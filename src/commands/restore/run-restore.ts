// `archiver restore` and `archiver download`: two faces of one engine. Flags to options, events to progress, the result
// to text or JSON.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { ArchiverError, usageError } from '../../core/failures/errors.js';
import type { EventSink } from '../../core/events.js';
import type { Selectors } from '../../core/manifest/selection.js';
import type { RequestCounts } from '../../core/object-store/object-store.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import type { UploadLocation } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';
import type { RestoreOptions, RestoreResult } from '../../core/restore/restore.js';
import { finalLines } from '../../screens/progress/final-lines.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import type { DownloadValues } from '../download.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl, urlAndFolder } from '../kit/upload-target.js';
import type { RestoreValues } from '../restore.js';
import { coldOutcome, type ColdOutcome } from './cold-outcome.js';
import { retrieveWithJob } from './cold-restore.js';
import { restoreReadable } from './restore-readable.js';
import { datasetTarget } from '../kit/dataset-target.js';
import { findVersion, versionSelector, type DatasetVersion } from '../kit/dataset-version.js';
import { openFrameCache } from '../kit/frame-cache.js';

const SHOWN_WARNINGS = 10;

type EngineOptions = Omit<RestoreOptions, 'reader' | 'mayFetch'>;

interface Fetched {
  readonly result: RestoreResult;
  /** Of `restore` alone. */
  readonly cold?: ColdOutcome;
}

type Positional = readonly [url: string | undefined, outputDir: string | undefined];

interface Job {
  readonly operation: 'restore' | 'download';
  readonly target: UploadLocation;
  /** The version that the target is, where a dataset was named. */
  readonly version?: DatasetVersion;
  readonly outputDir: string;
  readonly selectors: Selectors;
  readonly fetch: (options: EngineOptions, opened: OpenedStore) => Promise<Fetched>;
  readonly openCache: () => Promise<FrameCache | undefined>;
  readonly fillsCache: boolean;
}

/** Runs `archiver restore`; returns its exit status. */
export async function runRestore(values: RestoreValues, positional: Positional, context: Context): Promise<number> {
  const isCacheGiven = (context.origins['cacheGb'] ?? 'default') !== 'default';
  const { url, outputDir } = splitPositional(values, positional, context);
  const selector = values.datasetId === undefined ? undefined : versionSelector(values);
  const version =
    selector === undefined ? undefined : await findVersion(values, datasetTarget(url, values), selector, context);
  const target = version?.target ?? uploadTarget(url, values);
  return await run(values, context, {
    operation: 'restore',
    outputDir,
    target,
    fetch: async (options, opened) => {
      const retrieved = await retrieveWithJob(options, { values, context, opened, target, version });
      return { result: retrieved.retrieval.result, cold: coldOutcome(retrieved, values) };
    },
    ...(version === undefined ? {} : { version }),
    selectors: selectorsOf(values),
    openCache: () => openFrameCache(values, context),
    fillsCache: !values.all || isCacheGiven,
  });
}

/** Runs `archiver download`; returns its exit status. */
export async function runDownload(values: DownloadValues, positional: Positional, context: Context): Promise<number> {
  const { files = [], pattern, shardIds = [] } = values;
  const isAll = files.length === 0 && pattern === undefined && shardIds.length === 0;
  const { url, outputDir } = splitPositional(values, positional, context);
  const target = uploadTarget(url, values);
  return await run(values, context, {
    operation: 'download',
    outputDir,
    target,
    fetch: async (options, { store }) => ({ result: await restoreReadable({ ...options, reader: store }, target) }),
    selectors: isAll
      ? { all: true }
      : {
          files,
          ...(pattern === undefined ? {} : { pattern }),
          ...(shardIds.length === 0 ? {} : { shards: shardIds }),
        },
    openCache: () => Promise.resolve(undefined),
    fillsCache: false,
  });
}

function splitPositional(
  values: RestoreValues | DownloadValues,
  positional: Positional,
  context: Context,
): { readonly url: string | undefined; readonly outputDir: string } {
  const [url, outputDir] = urlAndFolder(values, positional);
  if (outputDir === undefined)
    throw usageError(url === undefined ? 'S3_URL and OUTPUT_DIR are missing' : 'OUTPUT_DIR is missing');
  return { url, outputDir: resolve(context.cwd, outputDir) };
}

function selectorsOf({ all, file, hash, gitCommit, dvcStage }: RestoreValues): Selectors {
  if (all) return { all: true };
  return {
    files: file,
    ...(hash === undefined ? {} : { md5: hash.toLowerCase() }),
    ...(gitCommit === undefined ? {} : { gitCommit }),
    ...(dvcStage === undefined ? {} : { stage: dvcStage }),
  };
}

async function run(values: RestoreValues | DownloadValues, context: Context, job: Job): Promise<number> {
  const startedAt = context.now().getTime();
  const { result, cold, requests } = await runWithProgress(context, { progressFormat: values.progressFormat }, (emit) =>
    fetchAll(values, context, job, emit),
  );
  refuseNothing(result, job, values);
  const durationMs = context.now().getTime() - startedAt;
  warnOf(result, context);
  const { datasetId, version } = job.version ?? {};
  const about = job.version === undefined ? {} : { datasetId, version };
  const document = { ...result, ...about, location: uploadUrl(job.target), durationMs, requests };
  context.result(
    { ...document, ...cold?.document },
    () => cold?.text ?? resultText(result, job, { durationMs, requests, context, planned: cold?.planned ?? [] }),
  );
  return cold?.status ?? statusOf(result);
}

/** The first warnings, and how many more there are. */
export function warnOf({ warnings }: RestoreResult, context: Context): void {
  for (const warning of warnings.slice(0, SHOWN_WARNINGS)) context.warn(printable(warning));
  if (warnings.length > SHOWN_WARNINGS) context.warn(`and ${warnings.length - SHOWN_WARNINGS} more warnings`);
}

/** 0, or 3 where some files failed, or 1 where nothing was restored. */
export function statusOf(result: RestoreResult): number {
  if (result.failed.length === 0) return 0;
  return result.files + result.unchanged + result.skipped + result.directories === 0 ? 1 : 3;
}

async function fetchAll(
  values: RestoreValues | DownloadValues,
  context: Context,
  job: Job,
  emit: EventSink,
): Promise<Fetched & { readonly requests: RequestCounts }> {
  const { target } = job;
  const opened = await openForReading(target.baseUrl, values, context, {
    requestsAtOnce: values.workers,
    onEvent: emit,
  });
  try {
    const options: EngineOptions = {
      operation: job.operation,
      uploadId: target.uploadId,
      manifestSha256: job.version?.manifestSha256,
      outputDir: job.outputDir,
      selectors: job.selectors,
      overwrite: values.overwrite,
      flatten: values.flatten,
      verifyFiles: values.verify,
      keepSpecialBits: values.keepSpecialBits,
      dryRun: values.dryRun,
      requestsAtOnce: values.workers,
      memoryLimitBytes: context.memoryLimitBytes,
      cache: await job.openCache(),
      fillsCache: job.fillsCache,
      emit,
      signal: context.signal,
    };
    return { ...(await job.fetch(options, opened)), requests: opened.requests };
  } finally {
    opened.close();
  }
}

/** Asking for files that are not there is a mistake to be told of, not an empty success. */
function refuseNothing(
  result: RestoreResult,
  { selectors, target }: Job,
  { dryRun }: { readonly dryRun: boolean },
): void {
  const found = result.files + result.directories + result.unchanged + result.skipped;
  const isMissing = ({ reason }: { readonly reason: string }): boolean => reason === 'not in this upload';
  if (selectors.all === true || found > 0 || !result.failed.every(isMissing)) return;
  const named = result.failed.map(({ path }) => printable(path));
  const what =
    named.length === 0
      ? 'no file matches'
      : `${named.slice(0, 10).join(', ')}${named.length > 10 ? ' and others' : ''}: not in this upload`;
  throw new ArchiverError('not-found', dryRun ? `nothing to restore: ${what}` : what, {
    hint: `archiver list ${uploadUrl(target)}`,
  });
}

interface Shown {
  readonly durationMs: number;
  readonly requests: RequestCounts;
  readonly context: Context;
  /** What a dry run adds. */
  readonly planned: readonly string[];
}

/** What a person reads of a restore that is done, or planned. */
export function resultText(result: RestoreResult, { operation }: Pick<Job, 'operation'>, shown: Shown): string {
  const { durationMs, requests, context, planned } = shown;
  const look = lookOf(context.colors.stdout, context.env);
  const { files, bytes, outputDir, bytesFetched, unchanged, skipped, failed } = result;
  if (result.dryRun) {
    const what = `${formatQuantity(files, 'file')}, ${formatBytes(bytes)}`;
    const fetch = `${formatBytes(bytesFetched)} in ${formatQuantity(result.ranges, 'request')} from ${formatQuantity(result.chunks, 'chunk')}`;
    const refused = problemLines('refused ', failed, look);
    return `${[`Would ${operation} ${what} to ${printable(outputDir)}, fetching ${fetch}.`, ...planned, ...refused].join('\n')}\nNothing was written (--dry-run).\n`;
  }
  const total = Object.values(requests as unknown as Readonly<Record<string, number>>).reduce(
    (sum, count) => sum + count,
    0,
  );
  const lines = finalLines(
    {
      operation,
      files,
      bytes,
      durationMs,
      target: outputDir,
      requests: total,
      fetchedBytes: bytesFetched,
      problems: failed,
    },
    look,
  );
  if (unchanged > 0) lines.push(`  unchanged ${formatQuantity(unchanged, 'file')} already in place`);
  if (skipped > 0) lines.push(`  kept      ${formatQuantity(skipped, 'file')} that --overwrite protects`);
  return `${lines.join('\n')}\n`;
}
