// What a command tells of a run that is recorded. The record is made when it has ended, by the feature that keeps account.
import type { Accounted } from '../../cli/context.js';
import { defined } from '../../core/platform/defined.js';
import type { RunAbout, UploadShape } from '../../core/events/run-about.js';
import type { MeteredObject } from '../../core/store/meter.js';
import type { OpenStoreOptions } from '../../core/store/open-store.js';

/** Counts what the run uses of a store, where that is recorded. @throws usage for a price in the config file that is not one */
export async function meterOf({ account }: Accounted): Promise<OpenStoreOptions['meter']> {
  if (!account.isRecorded) return undefined;
  await account.open?.(account);
  return account.meter;
}

/** From here on the run is recorded. */
export function tellLedger({ account }: Accounted, about: RunAbout): void {
  if (!account.isRecorded) throw new Error(`a command that records ${about.operation} does not declare isRecorded`);
  account.about = { ...account.about, ...about };
}

/** What came of a run that is recorded. */
export function tellResult(
  { account }: Accounted,
  { uploadId, datasetId, files, bytes }: Pick<RunAbout, 'uploadId' | 'datasetId' | 'files' | 'bytes'>,
): void {
  if (account.about !== undefined)
    account.about = { ...account.about, ...defined({ uploadId, datasetId }), files, bytes };
}

/** Objects that the run may delete or ask back: a store does not say what they were like. */
export function tellObjects({ account }: Accounted, objects: Iterable<MeteredObject>): void {
  account.know?.(objects);
}

/** What an upload that made a version looked like. */
export function tellShape({ account }: Accounted, shape: UploadShape): void {
  account.shape = shape;
}
