// Requests chunks from cold storage. Each is requested once, even if another process has done so before: the store answers `already` for a
// chunk that is readable or was requested, and nothing is paid for twice. Chunks that were requested are never forgotten, whatever fails
// afterwards.
import { keepsCopy } from '../../store/cold-class.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore, ThawOptions } from '../../store/object-store.js';
import { isRetriable, StoreError } from '../../store/store-error.js';
import type { ChunkState } from './chunk-states.js';

// Below eleven, since Node warns of a leak from eleven listeners on one signal.
const REQUESTS_AT_ONCE = 8;
/** Returns the state of one chunk by its failure; undefined for a failure that affects more, such as expired credentials. */
function chunkFailure(error: unknown): 'denied' | 'missing' | undefined {
  if (isArchiverError(error, 'not-found')) return 'missing';
  return error instanceof StoreError && error.reason === 'AccessDenied' ? 'denied' : undefined;
}

/**
 * Requests these chunks and returns their states: `thawing`, `denied`, `missing`, or `cold` with a reason for those that were not requested
 * because a failure (no expedited capacity, no network, Ctrl+C) stopped it. @throws when nothing could be requested; retriable if it is not
 * certain that nothing was
 */
export async function thawChunks(
  store: Pick<ObjectStore, 'thaw'>,
  cold: readonly ChunkState[],
  options: ThawOptions,
): Promise<readonly ChunkState[]> {
  const { days: _days, ...forGood } = options;
  const states = new Map<string, ChunkState>();
  let firstError: unknown;
  let stoppedBy: unknown;
  await forEachLimit(cold, REQUESTS_AT_ONCE, async (chunk) => {
    if (stoppedBy !== undefined) return;
    try {
      await store.thaw(chunk.key, keepsCopy(chunk.storageClass ?? '') ? options : forGood);
      states.set(chunk.key, { ...chunk, state: 'thawing' });
    } catch (error) {
      firstError ??= error;
      const state = chunkFailure(error);
      // An error that leaves it uncertain whether the chunk was requested is reported before others.
      if (state === undefined) stoppedBy = stoppedBy === undefined || isRetriable(error) ? error : stoppedBy;
      else states.set(chunk.key, { ...chunk, state, reason: errorText(error) });
    }
  });
  const isAsked = [...states.values()].some(({ state }) => state === 'thawing');
  if (!isAsked && firstError !== undefined) throw nothingAsked(stoppedBy ?? firstError, cold.length);
  const reason = `not requested: ${errorText(stoppedBy)}`;
  return cold.map((chunk) => states.get(chunk.key) ?? { ...chunk, reason });
}

function nothingAsked(error: unknown, count: number): unknown {
  if (!isArchiverError(error) || error.code === 'cancelled' || count === 1) return error;
  const { code, hint, message } = error;
  const text = `none of ${count} chunks could be requested: ${message}`;
  return new StoreError(code, text, { hint, cause: error, retriable: isRetriable(error) });
}
