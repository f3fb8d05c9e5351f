// A reader that does not read chunks that a job has lost, or that are cold: reading a cold one would end the restore,
// although the files of all others can be restored.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { RestoreJob } from './restore-job.js';

/** Returns `reader`, in which lost and cold chunks of the job are not found. */
export function withoutLost(reader: ObjectReader, { chunks }: Pick<RestoreJob, 'chunks'>): ObjectReader {
  const lost = new Map(
    chunks.filter(({ state }) => state !== 'readable').map(({ key, state, reason = state }) => [key, reason]),
  );
  return {
    ...reader,
    async get(key, options) {
      const reason = lost.get(key);
      if (reason !== undefined) throw new ArchiverError('not-found', `${key}: ${reason}`);
      return await reader.get(key, options);
    },
  };
}
