// Putting what may be there already, where it does not matter whose it is: its key says what it is.
import { isArchiverError } from '../platform/failures/errors.js';
import type { ObjectStore, PutOptions } from './object-store.js';

/**
 * False where there is an object already. On a store that does not create a key only once, two processes at once may both hear
 * true. @throws what the store throws
 */
export async function putIfAbsent(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  options: Omit<PutOptions, 'ifAbsent' | 'ifMatch'>,
): Promise<boolean> {
  if (store.plain !== undefined && (await store.head(key, options.signal)) !== undefined) return false;
  try {
    await store.put(key, body, { ...options, ifAbsent: true });
    return true;
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    return false;
  }
}
