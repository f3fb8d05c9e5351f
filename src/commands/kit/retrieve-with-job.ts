// Runs `archiver restore` of chunks that may be in cold storage: it turns flags into options, and saves a job before anything is requested
// and paid for, even with --wait, as a wait of hours may be interrupted.
import { hostname } from 'node:os';
import type { Accounted, Clock, Messages, Places, Pricing } from '../../cli/context.js';
import type { DatasetVersion } from '../../core/dataset/find-upload.js';
import { ArchiverError, errorText, isArchiverError } from '../../core/platform/failures/errors.js';
import type { ThawTier } from '../../core/store/object-store.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { UploadLocation } from '../../core/store/store-url.js';
import { lockForDownload, updateJob } from '../../core/restore/jobs/change-job.js';
import { endedJob } from '../../core/restore/jobs/download-job.js';
import { savedJobs, saveNewJob } from '../../core/restore/jobs/job-folder.js';
import type { JobChunk, RestoreJobFields } from '../../core/restore/jobs/restore-job.js';
import type { RetrievalGate } from '../../core/restore/retrieval-gate.js';
import {
  type JobKeeper,
  type Requested,
  type Retrieval,
  retrieve,
  type RetrieveOptions,
  type ThawedChunk,
} from '../../core/restore/retrieve.js';
import type { Lock } from '../../core/platform/state/lock.js';
import { defaultPollMs } from '../../core/restore/thaw/wait.js';
import { recordRunObjects } from './account.js';
import { pricedBy } from './prices.js';
import { jobFolder } from './saved.js';

/** Flags about cold storage, and the profile of the store. */
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
  readonly context: Accounted & Clock & Pick<Messages, 'warn'> & Pick<Places, 'home'> & Pricing;
  readonly opened: OpenedStore;
  readonly target: UploadLocation;
  readonly version: DatasetVersion | undefined;
  /** Called before anything is requested or fetched. */
  readonly retrievalGate: RetrievalGate;
}

export interface Retrieved {
  readonly retrieval: Retrieval;
  /** Id of the job, which is saved if something was requested from cold storage. */
  readonly jobId: string | undefined;
}

type EngineOptions = Omit<RetrieveOptions, 'store' | 'cold' | 'now' | 'job'>;

/** Restores, or requests chunks from cold storage and saves a job. @throws what `retrieve` throws; with the job, once saved, in the error */
export async function retrieveWithJob(options: EngineOptions, restore: ColdRestore): Promise<Retrieved> {
  const { values, context, opened, retrievalGate } = restore;
  const saved = new SavedJob(options, restore);
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
        ...pricedBy(context, opened),
      },
      now: context.now,
      job: saved,
      retrievalGate,
    });
    const { id } = saved;
    if (id !== undefined && retrieval.kind === 'restored') await closeJob(saved.folder, id, retrieval, context);
    if (options.signal.aborted && retrieval.kind === 'requested') throw new ArchiverError('cancelled', 'stopped');
    return { retrieval, jobId: id };
  } catch (error) {
    if (saved.id === undefined) throw error;
    if (isArchiverError(error)) throw withJobNamed(error, saved.id);
    context.warn(`the chunks requested are restored nevertheless, as job ${saved.id}: ${checkCommand(saved.id)}`);
    throw error;
  } finally {
    await saved.release();
  }
}

/** The job of a restore that is under way. It counts as being downloaded by this process, so that no other takes it up meanwhile. */
class SavedJob implements JobKeeper {
  readonly folder: string;
  id: string | undefined;
  private lock: Lock | undefined;

  constructor(
    private readonly options: EngineOptions,
    private readonly restore: ColdRestore,
  ) {
    this.folder = jobFolder(restore.context);
  }

  async save(planned: Requested): Promise<string> {
    recordRunObjects(this.restore.context, planned.chunks);
    const { id } = await saveNewJob(this.folder, jobFields(planned, this.options, this.restore));
    this.id = id;
    this.lock = await lockForDownload(this.folder, id, hostname());
    return id;
  }

  /** Failing to update the job is only a warning: `jobs check` checks every chunk of it anyway. */
  async update({ chunks }: Requested): Promise<void> {
    const { id = '', folder } = this;
    try {
      await updateJob(folder, { id, host: hostname() }, (job) => ({ ...job, chunks: chunks.map(jobChunk) }));
    } catch (error) {
      this.restore.context.warn(`job ${id} does not say yet what was requested: ${errorText(error)}`);
    }
  }

  async drop(): Promise<void> {
    const { id } = this;
    await this.release();
    this.id = undefined;
    if (id !== undefined) await savedJobs(this.folder).remove(id);
  }

  async release(): Promise<void> {
    const { lock } = this;
    this.lock = undefined;
    await lock?.release();
  }
}

const checkCommand = (id: string): string => `archiver restore jobs check ${id}`;

/** Adds the job to an error, so that the user can come back for chunks that are paid for. */
function withJobNamed(error: ArchiverError, id: string): ArchiverError {
  const { code, message, hint, exitCode } = error;
  const next = code === 'cancelled' || hint === undefined ? checkCommand(id) : `${hint}; to go on: ${checkCommand(id)}`;
  return new ArchiverError(code, `${message}: the chunks requested are restored nevertheless, as job ${id}`, {
    cause: error,
    hint: hint?.includes(id) === true ? hint : next,
    exitCode,
  });
}

/** Marks the job as ended. The files are restored, so failing to record that does not fail the restore. */
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
    location: { baseUrl: target.baseUrl, uploadId: target.uploadId },
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
    maxRestoreCostUsd: values.maxRestoreCost,
    createdAt: context.now().toISOString(),
  };
}

const jobChunk = ({ expiresAt, ...chunk }: ThawedChunk): JobChunk => ({
  ...chunk,
  ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
});
