// Retires versions that a run has written and found not to be whole, once their content is in a later one: their records become tombstones,
// so that nobody is offered what cannot be restored. No other process has written them, and none was told of them.
import { putTombstone } from '../dataset/records/put-tombstone.js';
import { listVersions, readVersions } from '../dataset/records/versions.js';
import { errorText, isArchiverError } from '../platform/failures/errors.js';
import type { NotWhole, UploadRun } from './run/upload-run.js';

type RetireInput = Pick<UploadRun, 'store' | 'datasetId' | 'notWhole' | 'emit' | 'warn' | 'signal'>;

/** Retires the run's broken versions, and warns of one that cannot be retired or has got a tag. Never fails the upload. */
export async function retireBroken(run: RetireInput): Promise<void> {
  for (const broken of run.notWhole) {
    try {
      const left = await retire(run, broken);
      if (left === undefined)
        run.emit({ type: 'note', text: `${broken.text}: it was retired, a later one has its content` });
      else run.warn(`${broken.text}, and stays listed: ${left}`);
    } catch (error) {
      if (!isArchiverError(error) || error.code === 'cancelled') throw error;
      run.warn(`${broken.text}, and stays listed: ${errorText(error)}`);
    }
  }
}

/** Returns why the version stays; undefined if it is retired, by this run or by somebody else. @throws what the store throws */
async function retire(
  { store, datasetId, signal }: RetireInput,
  { uploadId, version }: NotWhole,
): Promise<string | undefined> {
  const listed = (await listVersions(store, datasetId, signal)).filter((one) => one.version === version);
  const read = await readVersions(store, listed, signal);
  const found = read.find((one) => 'record' in one && one.record.uploadId === uploadId);
  if (found === undefined) return read.flatMap((one) => ('problem' in one ? [one.problem.message] : []))[0];
  if ('problem' in found) return found.problem.message;
  if (found.listed.tags.length > 0) return `it is tagged ${found.listed.tags.join(', ')}`;
  await putTombstone(store, found, { now: await store.time(signal), signal });
  return undefined;
}
