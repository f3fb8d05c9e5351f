// Asks chunks back from cold storage. Each is asked for once, whoever asked before: the store answers `already` for what
// is readable or on its way, and nothing is paid twice. What was asked for is never forgotten, whatever fails after it.
import { atOnce } from '../limits/at-once.js';
import { ArchiverError, errorText, isArchiverError } from '../failures/errors.js';
import type { ObjectStore, ThawOptions } from '../object-store/object-store.js';
import { StoreError } from '../object-store/store-error.js';
import type { ChunkState } from './chunk-states.js';

// Node warns of a leak from eleven listeners on one signal.
const REQUESTS_AT_ONCE = 8;
/** What a failure says of one chunk; undefined for one that says more, such as credentials that have expired. */
function chunkFailure(error: unknown): 'denied' | 'missing' | undefined {
  if (isArchiverError(error, 'not-found')) return 'missing';
  return error instanceof StoreError && error.reason === 'AccessDenied' ? 'denied' : undefined;
}

/**
 * Asks for these chunks and gives their states: `thawing`, `denied`, `missing`, or `cold` with a reason for those that
 * were not asked for because a failure (no expedited capacity, no network, Ctrl+C) stopped the asking.
 * @throws the first failure when nothing could be asked for
 */
export async function thawChunks(
  store: Pick<ObjectStore, 'thaw'>,
  cold: readonly ChunkState[],
  options: ThawOptions,
): Promise<readonly ChunkState[]> {
  const states = new Map<string, ChunkState>();
  let firstError: unknown;
  let stoppedBy: unknown;
  await atOnce(cold, REQUESTS_AT_ONCE, async (chunk) => {
    if (stoppedBy !== undefined) return;
    try {
      await store.thaw(chunk.key, options);
      states.set(chunk.key, { ...chunk, state: 'thawing' });
    } catch (error) {
      firstError ??= error;
      const state = chunkFailure(error);
      if (state === undefined) stoppedBy ??= error;
      else states.set(chunk.key, { ...chunk, state, reason: errorText(error) });
    }
  });
  const isAsked = [...states.values()].some(({ state }) => state === 'thawing');
  if (!isAsked && firstError !== undefined) throw nothingAsked(firstError, cold.length);
  const reason = `not asked for: ${errorText(stoppedBy)}`;
  return cold.map((chunk) => states.get(chunk.key) ?? { ...chunk, reason });
}

function nothingAsked(error: unknown, count: number): unknown {
  if (!isArchiverError(error) || error.code === 'cancelled' || count === 1) return error;
  const { code, hint, message } = error;
  return new ArchiverError(code, `none of ${count} chunks could be asked back: ${message}`, { hint, cause: error });
}
