// `archiver restore` of what may lie in cold storage: flags to options, and the job that is saved when something was asked
// back, also with --wait: who waits for hours may be interrupted.
import { hostname } from 'node:os';
import type { Clock, Messages, Places } from '../../cli/context.js';
import { ArchiverError, errorText, isArchiverError } from '../../core/failures/errors.js';
import type { ThawTier } from '../../core/object-store/object-store.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import type { UploadLocation } from '../../core/object-store/store-url.js';
import { lockForDownload, updateJob } from '../../core/restore-jobs/change-job.js';
import { endedJob } from '../../core/restore-jobs/download-job.js';
import { saveNewJob } from '../../core/restore-jobs/job-folder.js';
import type { JobChunk, RestoreJob, RestoreJobFields } from '../../core/restore-jobs/restore-job.js';
import {
  type Requested,
  type Retrieval,
  retrieve,
  type RetrieveOptions,
  type ThawedChunk,
} from '../../core/restore/retrieve.js';
import type { Lock } from '../../core/state/lock.js';
import { defaultPollMs } from '../../core/thaw/wait.js';
import type { DatasetVersion } from './dataset-version.js';
import { jobFolder } from './saved.js';

/** The flags that say how cold storage is dealt with, and where the store is. */
export interface ColdValues {
  readonly tier: ThawTier;
  readonly wait: boolean;
  readonly restoreDays: number;
  readonly maxRestoreCost: number | undefined;
  readonly pollInterval: number | undefined;
  readonly profile: string | undefined;
}

export interface ColdRestore {
  readonly values: ColdValues;
  readonly context: Clock & Pick<Messages, 'warn'> & Pick<Places, 'home'>;
  readonly opened: OpenedStore;
  readonly target: UploadLocation;
  readonly version: Pick<DatasetVersion, 'datasetId' | 'version'> | undefined;
}

export interface Retrieved {
  readonly retrieval: Retrieval;
  /** Saved when something was asked back. */
  readonly jobId: string | undefined;
}

type EngineOptions = Omit<RetrieveOptions, 'store' | 'cold' | 'now' | 'onRequested'>;

/** Restores, or asks back what is cold and saves a job. @throws what `retrieve` throws; an interruption names the job */
export async function retrieveWithJob(options: EngineOptions, restore: ColdRestore): Promise<Retrieved> {
  const { values, context, opened } = restore;
  const folder = jobFolder(context);
  let job: RestoreJob | undefined;
  let lock: Lock | undefined;
  try {
    const retrieval = await retrieve({
      ...options,
      store: opened.store,
      cold: {
        tier: values.tier,
        wait: values.wait,
        days: values.restoreDays,
        maxCostUsd: values.maxRestoreCost,
        pollMs: values.pollInterval ?? defaultPollMs(values.tier),
        region: opened.region,
        isAws: opened.isAws,
      },
      now: context.now,
      onRequested: async (requested) => {
        job = await saveNewJob(folder, jobFields(requested, options, restore));
        if (values.wait) lock = await lockForDownload(folder, job.id, hostname()); // it is downloaded here
        return job.id;
      },
    });
    if (job !== undefined && retrieval.kind === 'restored') await closeJob(folder, job.id, retrieval, context);
    if (options.signal.aborted && retrieval.kind === 'requested') throw new ArchiverError('cancelled', 'stopped');
    return { retrieval, jobId: job?.id };
  } catch (error) {
    if (job === undefined || !isArchiverError(error, 'cancelled')) throw error;
    throw new ArchiverError(
      'cancelled',
      `${error.message}: what was asked for comes back all the same, as job ${job.id}`,
      {
        cause: error,
        hint: `archiver restore jobs check ${job.id}`,
      },
    );
  } finally {
    await lock?.release();
  }
}

/** The files are there: that the job cannot say so is no failure of the restore. */
async function closeJob(
  folder: string,
  id: string,
  { result, chunks }: Retrieval,
  context: ColdRestore['context'],
): Promise<void> {
  try {
    await updateJob(folder, { id, host: hostname() }, (job) =>
      endedJob({ ...job, chunks: chunks.map(jobChunk) }, result, context.now()),
    );
  } catch (error) {
    context.warn(`the restore is done, and its job ${id} could not be closed: ${errorText(error)}`);
  }
}

function jobFields(
  { chunks, estimate, result }: Requested,
  options: EngineOptions,
  { values, context, opened, target, version }: ColdRestore,
): RestoreJobFields {
  return {
    location: target,
    region: opened.region,
    profile: values.profile,
    endpointUrl: opened.servers?.store,
    kmsEndpointUrl: opened.servers?.kms,
    outputDir: options.outputDir,
    selectors: options.selectors,
    datasetId: version?.datasetId,
    version: version?.version,
    flatten: options.flatten,
    verify: options.verifyFiles,
    overwrite: options.overwrite,
    keepSpecialBits: options.keepSpecialBits,
    tier: values.tier,
    restoreDays: values.restoreDays,
    chunks: chunks.map(jobChunk),
    files: result.files,
    bytes: result.bytes,
    estimatedCostUsd: estimate.costUsd,
    createdAt: context.now().toISOString(),
  };
}

const jobChunk = ({ key, sizeBytes, storageClass, state, reason, expiresAt }: ThawedChunk): JobChunk => ({
  key,
  sizeBytes,
  storageClass,
  state,
  reason,
  expiresAt: expiresAt?.toISOString(),
});
