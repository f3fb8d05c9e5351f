// Finds the version to compare with again while an upload is under way.
import { highestVersion } from '../../dataset/records/version-record.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { UploadRun } from '../run/upload-run.js';
import type { Stale } from '../commit/commitment.js';
import { withFreshEntries, withoutReadAccess, type Baseline, findBaseline, listingAll } from './baseline.js';

type FindInput = Pick<UploadRun, 'store' | 'datasetId' | 'remembered' | 'dataset' | 'emit' | 'signal'>;

/** Why an attempt is repeated: another writer was faster, something is not sound, or the baseline does not match the store. */
export type Repeat = 'taken' | Stale | 'doubtful';

/** Returns what the next attempt compares with. @throws what reading it throws; conflict when there is nothing new after all */
export async function nextBaseline(run: FindInput, before: Baseline, reason: Repeat): Promise<Baseline> {
  if (reason === 'taken') return await concurrentBaseline(run, before);
  // The version that this run has just made is not whole: the next one lists everything and builds on nothing of it.
  if (reason !== 'doubtful' && reason.version !== undefined) return listingAll(before, reason.version);
  try {
    // A writer that may not read goes on with what it remembers, and sends again what it may not refer to.
    return (await readAnew(run)) ?? withoutReadAccess(before);
  } catch (error) {
    // The version cannot be read any more, but the view that is remembered has the digests of its files.
    if (!isArchiverError(error, 'integrity', 'not-found')) throw error;
    return withFreshEntries(before);
  }
}

/** Reads the latest version from the store, not the cache; undefined where it cannot be read. @throws what reading it throws */
async function readAnew(run: FindInput): Promise<Baseline | undefined> {
  const { store, datasetId, dataset, emit, signal } = run;
  const highest = await highestVersion(store, datasetId, { signal });
  const previousManifest = dataset.changes?.previousManifest;
  return await findBaseline({ store, datasetId, highest, remembered: {}, previousManifest, emit, signal });
}

/** Returns the version of the writer that was faster. @throws conflict when there is nothing new after all */
export async function concurrentBaseline(run: FindInput, before: Baseline | undefined): Promise<Baseline> {
  const { store, datasetId, remembered, emit, signal } = run;
  emit({ type: 'note', text: 'something else changed this dataset meanwhile: comparing with how it is now' });
  const highest = await highestVersion(store, datasetId, { signal });
  const found = await findBaseline({ store, datasetId, highest, remembered, emit, signal });
  if (found !== undefined && found.head > (before?.head ?? 0)) return found;
  const taken = (before?.head ?? 0) + 1;
  throw new ArchiverError('conflict', `another writer took version ${taken} of dataset ${datasetId}`, {
    hint: 'run the command again',
  });
}
