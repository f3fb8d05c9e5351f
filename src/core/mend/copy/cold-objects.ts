// What cannot be read now of a copy, because it lies in cold storage. Nothing is requested from there.
import { isArchiverError } from '../../platform/failures/errors.js';
import { chunkStates } from '../../restore/thaw/chunk-states.js';
import { isColdClass } from '../../store/cold-class.js';
import { splitUploadKey } from '../../store/ids/upload-id.js';
import { addCold, type ColdCount } from '../verify/cold-chunks.js';
import type { CopyRun } from './copy-run.js';
import type { NeededObject } from './needed-objects.js';

export interface ColdObjects {
  readonly counts: readonly ColdCount[];
  /** Uploads in whose folders they lie, in the order of their ids. */
  readonly uploadIds: readonly string[];
}

/** Counts what is cold among these objects, as the store says now. @throws what the store throws */
export async function coldObjects(
  { from, now, signal }: Pick<CopyRun, 'from' | 'now' | 'signal'>,
  missing: readonly NeededObject[],
): Promise<ColdObjects> {
  const labelled = missing.filter(({ storageClass }) => isColdClass(storageClass));
  const sizes = new Map(labelled.map(({ key, sizeBytes }) => [key, sizeBytes]));
  const states = await chunkStates(from, [...sizes.keys()], { now: now(), signal });
  const unread = states.filter(({ state }) => state === 'cold' || state === 'thawing');
  const [sample] = unread.filter(({ state }) => state === 'cold');
  // On some servers the class is only a label, and every object can be read.
  if (sample !== undefined && (await isGiven({ from, signal }, sample.key))) return { counts: [], uploadIds: [] };
  const counts = unread.map(({ key, state, storageClass = '' }) => [
    {
      storageClass,
      state: state === 'cold' ? ('cold' as const) : ('thawing' as const),
      chunks: 1,
      bytes: sizes.get(key) ?? 0,
    },
  ]);
  const uploadIds = new Set(unread.flatMap(({ key }) => splitUploadKey(key)?.uploadId ?? []));
  return { counts: addCold(...counts), uploadIds: [...uploadIds].sort() };
}

async function isGiven({ from, signal }: Pick<CopyRun, 'from' | 'signal'>, key: string): Promise<boolean> {
  try {
    const { body } = await from.get(key, { range: { start: 0, end: 1 }, signal });
    body.destroy();
    return true;
  } catch (error) {
    if (!isArchiverError(error, 'cold-storage')) throw error;
    return false;
  }
}
