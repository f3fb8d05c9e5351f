// Writes that never became an object: multipart uploads of a bucket, temp files of a folder. No listing shows them, and they
// take space until somebody removes them.
import { isArchiverError } from '../platform/failures/errors.js';
import type { ObjectDeleter, ObjectStore, UnfinishedMultipart } from '../store/object-store.js';
import { type UnfinishedHidden, unfinishedHidden } from '../store/unfinished-hidden.js';
import { ownKey } from './own-keys.js';

/** No writer of ours pauses for so long within one object. */
const IDLE_MS = 86_400_000;

/** What a listing of them shows. */
export interface SeenWrites {
  readonly writes: readonly UnfinishedMultipart[];
  /** Why there may be others; null where all were seen. */
  readonly unfinishedHidden: UnfinishedHidden | null;
}

/** Those of keys that are ours. @throws what the store says to a listing that it has and allows */
export async function ownUnfinished(store: ObjectStore, signal: AbortSignal): Promise<SeenWrites> {
  const found: UnfinishedMultipart[] = [];
  try {
    for await (const write of store.listMultipart('', signal)) if (ownKey(write.key) !== undefined) found.push(write);
    return { writes: found, unfinishedHidden: null };
  } catch (error) {
    return { writes: [], unfinishedHidden: unfinishedHidden(error) };
  }
}

/** Those that are so old that no writer can be at work on them; `now` is that of the store. @throws what the store says to a listing */
export async function deadWrites(store: ObjectStore, now: Date, signal: AbortSignal): Promise<SeenWrites> {
  const { writes, ...seen } = await ownUnfinished(store, signal);
  return { ...seen, writes: writes.filter(({ startedAt }) => now.getTime() - startedAt.getTime() >= IDLE_MS) };
}

/** Removes them; those that may not be removed stay. @returns those that are gone */
export async function removeDeadWrites(
  deleter: ObjectDeleter,
  writes: readonly UnfinishedMultipart[],
  signal: AbortSignal,
): Promise<readonly UnfinishedMultipart[]> {
  const gone: UnfinishedMultipart[] = [];
  for (const write of writes) {
    try {
      await deleter.abortMultipart(write.key, write.multipartId, signal);
      gone.push(write);
    } catch (error) {
      if (!isArchiverError(error, 'access-denied')) throw error;
    }
  }
  return gone;
}
