// Writes that never became an object: multipart uploads of a bucket, temporary files of a folder. No listing shows them, and they take up
// space until somebody removes them.
import { isArchiverError } from '../platform/failures/errors.js';
import type { ObjectDeleter, ObjectStore, UnfinishedMultipart } from '../store/object-store.js';
import { type UnfinishedHidden, unfinishedHidden } from '../store/unfinished-hidden.js';
import { ownKey } from './own-keys.js';

/** None of our writers pauses for so long within one object. */
const IDLE_MS = 86_400_000;

/** The unfinished writes that the store lists. */
export interface UnfinishedWrites {
  readonly writes: readonly UnfinishedMultipart[];
  /** The reason why there may be others; null when all were listed. */
  readonly unfinishedHidden: UnfinishedHidden | null;
}

/** Unfinished writes to keys of ours. @throws what the store throws when it supports and allows such a listing */
export async function ownUnfinished(store: ObjectStore, signal: AbortSignal): Promise<UnfinishedWrites> {
  const found: UnfinishedMultipart[] = [];
  try {
    for await (const write of store.listMultipart('', signal)) if (ownKey(write.key) !== undefined) found.push(write);
    return { writes: found, unfinishedHidden: null };
  } catch (error) {
    return { writes: [], unfinishedHidden: unfinishedHidden(error) };
  }
}

/**
 * Unfinished writes that are so old that no writer can still be at work on them; `now` is the time of the store. @throws what the listing
 * throws
 */
export async function findAbandonedWrites(
  store: ObjectStore,
  now: Date,
  signal: AbortSignal,
): Promise<UnfinishedWrites> {
  const { writes, ...seen } = await ownUnfinished(store, signal);
  return { ...seen, writes: writes.filter(({ startedAt }) => now.getTime() - startedAt.getTime() >= IDLE_MS) };
}

/** Removes unfinished writes; those that may not be removed stay. @returns those that were removed */
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
