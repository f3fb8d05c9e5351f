// The version to compare with, looked for again while an upload is under way.
import { highestVersion } from '../../dataset/records/version-record.js';
import { ArchiverError } from '../../failures/errors.js';
import type { UploadRun } from '../upload-run.js';
import { type Baseline, findBaseline } from './baseline.js';

type FindInput = Pick<UploadRun, 'store' | 'datasetId' | 'remembered' | 'dataset' | 'emit' | 'signal'>;

/** The latest version from the store, not the cache; undefined where it cannot be read. @throws what reading it throws */
export async function readAnew(run: FindInput): Promise<Baseline | undefined> {
  const { store, datasetId, dataset, emit, signal } = run;
  const highest = await highestVersion(store, datasetId, { signal });
  const previousManifest = dataset.changes?.previousManifest;
  return await findBaseline({ store, datasetId, highest, remembered: {}, previousManifest, emit, signal });
}

/** The version that was committed first. @throws conflict when there is nothing new after all */
export async function rivalsVersion(run: FindInput, before: Baseline | undefined): Promise<Baseline> {
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
