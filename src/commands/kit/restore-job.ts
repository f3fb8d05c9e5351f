// Opens a restore that waits for cold storage, and shows its state in a word and as data.
import type { Accounted, Cancellation, Clock, Environment, Places, Pricing } from '../../cli/context.js';
import { roundedUsd } from '../../core/cost/money.js';
import { defined } from '../../core/platform/defined.js';
import { usageError } from '../../core/platform/failures/errors.js';
import type { EventSink } from '../../core/events/events.js';
import type { Selectors } from '../../core/format/manifest/selection.js';
import { withoutLogin } from '../../core/store/endpoint-url.js';
import type { RateLimit } from '../../core/platform/limits/timetable.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { AwsSources } from '../../core/store/s3/s3-profile.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { FoundJob } from '../../core/restore/jobs/job-folder.js';
import { earliestExpiry } from '../../core/restore/jobs/judge-job.js';
import type { JobStatus, RestoreJob } from '../../core/restore/jobs/restore-job.js';
import { resultPath } from '../../core/platform/failures/failure-list.js';
import { meterOf } from './account.js';
import { partDocument } from './part.js';
import { jobFolder, readSaved } from './saved.js';
import { uploadUrl } from './upload-target.js';

/** Reads a job; for an unknown id the error suggests the nearest one. @throws not-found, integrity, unsupported, io */
export async function readNamedJob(id: string, context: Pick<Places, 'home'>): Promise<RestoreJob> {
  const { savedJobs } = await import('../../core/restore/jobs/job-folder.js');
  const folder = jobFolder(context);
  const hint = (): string => 'archiver restore jobs list';
  const saved = { id, noun: 'restore job', folder, ids: () => savedJobs(folder).ids(), hint };
  return await readSaved(saved, () => savedJobs(folder).read(id));
}

interface AccessValues {
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
  readonly limitDownload?: RateLimit | undefined;
}

interface JobStoreCall {
  readonly job: RestoreJob;
  readonly values: AccessValues;
  readonly context: Environment & Cancellation & Accounted & Clock & Pricing & Pick<Places, 'home'>;
  readonly maxSockets?: number;
  readonly onEvent?: EventSink;
}

/**
 * Opens the store of a job for `work`, with the settings of the job or of these flags, and closes it afterwards. @throws what opening and
 * `work` throw; usage for a job that does not say where its store is
 */
export async function withJobStore<T>(
  { job, values, context, ...use }: JobStoreCall,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const { openStore } = await import('../../core/store/open-store.js');
  const { env, signal } = context;
  const profile = values.profile ?? job.profile;
  const isElsewhere = values.endpointUrl !== undefined;
  if (!isElsewhere && job.endpointUrl === undefined) await refuseToGuess(job, { env, profile });
  const opened = await openStore(job.location.baseUrl, {
    env,
    region: values.region ?? job.region,
    profile,
    endpointUrl: isElsewhere ? values.endpointUrl : job.endpointUrl,
    caBundle: values.caBundle,
    kmsEndpointUrl: isElsewhere ? undefined : job.kmsEndpointUrl,
    downloadLimit: values.limitDownload,
    meter: await meterOf(context),
    signal,
    ...use,
  });
  try {
    return await work(opened);
  } finally {
    opened.close();
  }
}

/**
 * Refuses a job of 0.1.0 that does not name its server, when a server is configured now. Such jobs name it only where a flag or a variable
 * did. @throws usage
 */
async function refuseToGuess({ id, location }: RestoreJob, sources: AwsSources): Promise<void> {
  if (parseStoreUrl(location.baseUrl).kind !== 's3') return;
  const { storeEndpoint } = await import('../../core/store/s3/s3-profile.js');
  const configured = withoutLogin(await storeEndpoint(sources));
  if (configured === undefined) return;
  throw usageError(
    `restore job ${id} does not say whether it was made for AWS itself or for ${printable(configured)}, which is configured now`,
    `for that server: --endpoint-url ${configured}; for AWS: AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true archiver restore jobs check ${id}`,
  );
}

/** Status as it is shown: `interrupted` was downloading and its process is gone; `unreadable` is damaged, of another archiver or newer. */
export type ShownStatus = JobStatus | 'interrupted' | 'unreadable';

/** Returns the status to show for a job that was found. */
export function shownStatus({ document: job, holder }: Pick<FoundJob, 'document' | 'holder'>): ShownStatus {
  if (job === undefined) return 'unreadable';
  return job.status === 'downloading' && holder === undefined ? 'interrupted' : job.status;
}

/** Counts the chunks of a job that can be read. */
export const readableChunks = ({ chunks }: RestoreJob): number =>
  chunks.filter(({ state }) => state === 'readable').length;

/** The keys that every command about a job prints. */
export function jobDocument(job: RestoreJob) {
  const { id, status, location, outputDir, datasetId, version, chunks, result } = job;
  return {
    jobId: id,
    status,
    location: uploadUrl(location),
    outputDir,
    ...(datasetId === undefined ? {} : { datasetId, version }),
    selectors: selectorsDocument(job.selectors),
    files: job.files,
    bytes: job.bytes,
    chunks: chunks.length,
    chunksReadable: readableChunks(job),
    tier: job.tier,
    restoreDays: job.restoreDays,
    costUsd: roundedUsd(job.estimatedCostUsd),
    createdAt: job.createdAt,
    checkedAt: job.checkedAt ?? null,
    readyAt: job.readyAt ?? null,
    expiresAt: earliestExpiry(job) ?? null,
    completedAt: job.completedAt ?? null,
    restored: result === undefined ? null : { files: result.files, bytes: result.bytes, failedCount: result.failed },
    reason: job.error ?? null,
  };
}

/** Returns the names as text, including those that were chosen as byte strings. */
function selectorsDocument({ paths = [], files = [], stages, shards, part, ...selectors }: Selectors) {
  const named = [...files, ...paths.map(resultPath)];
  return {
    ...selectors,
    ...defined({ stageNames: stages, shardNumbers: shards }),
    ...(named.length > 0 && { paths: named }),
    ...partDocument(part),
  };
}
