// Reports of a command about a run that is recorded. The record is made when the run has ended, by the feature that keeps account.
import type { Accounted, Cancellation } from '../../cli/context.js';
import { defined } from '../../core/platform/defined.js';
import type { RunAbout, UploadShape } from '../../core/events/run-about.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import type { MeteredObject } from '../../core/store/meter.js';
import type { ObjectReader } from '../../core/store/object-store.js';
import type { OpenStoreOptions } from '../../core/store/open-store.js';

/**
 * Returns the meter that counts what the run uses of a store, if the run is recorded. @throws usage for a price in the config file that is
 * not one
 */
export async function meterOf({ account }: Accounted): Promise<OpenStoreOptions['meter']> {
  if (!account.isRecorded) return undefined;
  await account.open?.(account);
  return account.meter;
}

/** Adds facts to the record of the run, which is made from the first call on. */
export function recordRunFacts({ account }: Accounted, about: RunAbout): void {
  if (!account.isRecorded) throw new Error(`a command that records ${about.operation} does not declare isRecorded`);
  account.about = { ...account.about, ...about };
}

/** Adds the result to the record of the run, if there is one. */
export function recordRunResult(
  { account }: Accounted,
  { uploadId, datasetId, files, bytes }: Pick<RunAbout, 'uploadId' | 'datasetId' | 'files' | 'bytes'>,
): void {
  if (account.about !== undefined)
    account.about = { ...account.about, ...defined({ uploadId, datasetId }), files, bytes };
}

/** Describes objects that the run may delete or request from cold storage: the store does not say what they were like. */
export function recordRunObjects({ account }: Accounted, objects: Iterable<MeteredObject>): void {
  account.know?.(objects);
}

/**
 * Finds out the projects of uploads whose objects the run changes while their manifests are there. One that is gone, encrypted or damaged
 * tells nothing, and the ledger is asked for its upload when the run is recorded. @throws cancelled
 */
export async function learnProjects(
  { account, signal }: Accounted & Cancellation,
  reader: ObjectReader,
  uploadIds: Iterable<UploadId>,
): Promise<void> {
  if (account.learnProjects === undefined) return;
  const { readManifestFront } = await import('../../core/format/manifest/manifest-front.js');
  await account.learnProjects([...new Set(uploadIds)], async (uploadId) => {
    try {
      const front = await readManifestFront(reader, uploadId, signal);
      return front && (front.project ?? null);
    } catch (error) {
      if (!isArchiverError(error) || isArchiverError(error, 'cancelled')) throw error;
      return undefined;
    }
  });
}

/** Records the shape of an upload that made a version. */
export function recordUploadShape({ account }: Accounted, shape: UploadShape): void {
  account.shape = shape;
}
