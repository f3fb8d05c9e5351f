// Where restore jobs are kept, and the way to the store of one: as it was made, or as flags say now.
import { join } from 'node:path';
import type { Context } from '../../../cli/context.js';
import { suggest } from '../../../cli/suggest.js';
import { ArchiverError, isArchiverError } from '../../../core/errors.js';
import type { EventSink } from '../../../core/events.js';
import { type OpenedStore, openStore } from '../../../core/object-store/open-store.js';
import { printable } from '../../../core/raw-path.js';
import { readJob, savedJobIds } from '../../../core/restore-jobs/job-folder.js';
import type { RestoreJob } from '../../../core/restore-jobs/restore-job.js';

/** The folder of restore jobs. */
export const jobFolder = ({ home }: Pick<Context, 'home'>): string => join(home, 'restore-jobs');

/** Reads a job; an id that is not there is told with the nearest one that is. @throws not-found, integrity, unsupported, io */
export async function readNamedJob(id: string, context: Context): Promise<RestoreJob> {
  const folder = jobFolder(context);
  try {
    return await readJob(folder, id);
  } catch (error) {
    if (!isArchiverError(error, 'not-found')) throw error;
    const near = suggest(id, await savedJobIds(folder));
    const tail = near === undefined ? '' : `; did you mean ${near}?`;
    throw new ArchiverError('not-found', `no restore job ${printable(id)} is saved in ${printable(folder)}${tail}`, {
      cause: error,
      hint: 'archiver restore jobs list',
    });
  }
}

export interface AccessValues {
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly limitDownload?: number | undefined;
}

/** Opens the store of a job. */
export async function openJobStore(
  job: RestoreJob,
  values: AccessValues,
  context: Context,
  options: { readonly maxSockets?: number; readonly onEvent?: EventSink } = {},
): Promise<OpenedStore> {
  const endpointUrl = values.endpointUrl ?? job.endpointUrl;
  const { AWS_ENDPOINT_URL: _all, AWS_ENDPOINT_URL_S3: _s3, ...elsewhere } = context.env;
  return await openStore(job.location.baseUrl, {
    env: elsewhere,
    region: values.region ?? job.region,
    profile: values.profile ?? job.profile,
    endpointUrl,
    limitDownloadBytesPerSecond: values.limitDownload,
    signal: context.signal,
    ...options,
  });
}
