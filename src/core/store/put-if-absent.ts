// Puts an object that may be there already, from any writer: its key determines its content.
import { isArchiverError } from '../platform/failures/errors.js';
import type { ObjectStore, PutOptions } from './object-store.js';

/**
 * Puts an object; returns false if there is one already. On a store that does not create a key only once, two processes at the same time
 * may both get true. @throws what the store throws
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
