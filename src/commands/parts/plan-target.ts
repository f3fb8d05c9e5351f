// Finds the plan that a command names.
import { type ReadPlan, readPlan } from '../../core/archive/parts/read-plan.js';
import { ArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { defined } from '../../core/platform/defined.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { UploadLocation } from '../../core/store/store-url.js';
import type { StoreContext } from '../kit/store.js';
import { targetOf } from '../kit/upload-target.js';

/** Returns the upload that a call names. @throws usage where it names a store alone */
export async function planLocation(
  url: string,
  { uploadId }: { readonly uploadId: string | undefined },
  context: StoreContext,
): Promise<UploadLocation> {
  const values = { uploadId, datasetId: undefined, version: undefined, asOf: undefined };
  const target = await targetOf(url, values, context);
  if (target.uploadId === undefined)
    throw usageError('no plan is named', 'give the URL that `archiver plan` has printed, or its id with --upload-id');
  return { baseUrl: target.baseUrl, uploadId: target.uploadId };
}

/** Reads the plan in an open store. @throws not-found, integrity, unsupported */
export async function planIn(
  { store }: OpenedStore,
  { uploadId }: UploadLocation,
  { signal }: StoreContext,
): Promise<ReadPlan> {
  return await readPlan(store, uploadId, signal);
}

/** The failure of a command, with another exit status. */
export const withExit = ({ code, message, hint, cause }: ArchiverError, exitCode: number): ArchiverError =>
  new ArchiverError(code, message, { exitCode, cause, ...defined({ hint }) });
