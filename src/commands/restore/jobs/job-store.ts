// Where restore jobs are kept, and the way to the store of one: as it was made, or as flags say now.
import { join } from 'node:path';
import type { Context } from '../../../cli/context.js';
import { suggest } from '../../../cli/suggest.js';
import { ArchiverError, isArchiverError, usageError } from '../../../core/failures/errors.js';
import type { EventSink } from '../../../core/events.js';
import { withoutLogin } from '../../../core/object-store/endpoint-url.js';
import { type OpenedStore, openStore } from '../../../core/object-store/open-store.js';
import type { AwsSources } from '../../../core/object-store/s3-profile.js';
import { parseStoreUrl } from '../../../core/object-store/store-url.js';
import { printable } from '../../../core/paths/raw-path.js';
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

/** Jobs of 0.1.0 say which server they are for only where a flag or a variable named it. @throws usage where one is configured now */
async function refuseToGuess({ id, location }: RestoreJob, sources: AwsSources): Promise<void> {
  if (parseStoreUrl(location.baseUrl).kind !== 's3') return;
  const { storeEndpoint } = await import('../../../core/object-store/s3-profile.js');
  const configured = withoutLogin(await storeEndpoint(sources));
  if (configured === undefined) return;
  throw usageError(
    `restore job ${id} does not say whether it was made for AWS itself or for ${printable(configured)}, which is configured now`,
    `for that server: --endpoint-url ${configured}; for AWS: AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true archiver restore jobs check ${id}`,
  );
}

/** Opens the store of a job. @throws usage for a job that does not say where that is */
export async function openJobStore(
  job: RestoreJob,
  values: AccessValues,
  context: Context,
  options: { readonly maxSockets?: number; readonly onEvent?: EventSink } = {},
): Promise<OpenedStore> {
  const { env } = context;
  const profile = values.profile ?? job.profile;
  const isElsewhere = values.endpointUrl !== undefined;
  if (!isElsewhere && job.endpointUrl === undefined) await refuseToGuess(job, { env, profile });
  return await openStore(job.location.baseUrl, {
    env,
    region: values.region ?? job.region,
    profile,
    endpointUrl: isElsewhere ? values.endpointUrl : job.endpointUrl,
    kmsEndpointUrl: isElsewhere ? undefined : job.kmsEndpointUrl,
    limitDownloadBytesPerSecond: values.limitDownload,
    signal: context.signal,
    ...options,
  });
}
