// Replaces an object that must still be the one that was looked at. Some stores answer 412 to every If-Match, even if nothing has changed;
// that is reported as what it is, and not as another process.
import { ArchiverError, isArchiverError } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import type { ObjectStore, PutOptions, PutResult } from './object-store.js';

/**
 * Replaces the object with the etag `ifMatch`. @throws conflict if it is another one by now; unsupported if the store refuses although it
 * is not
 */
export async function putIfUnchanged(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  options: PutOptions & { readonly ifMatch: string },
): Promise<PutResult> {
  try {
    return await store.put(key, body, options);
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    if ((await store.head(key, options.signal))?.etag !== options.ifMatch) throw error;
    const where = `${printable(store.url)}/${printable(key)}`;
    throw new ArchiverError(
      'unsupported',
      `${where} cannot be replaced: the store says that it was changed, and it was not (it does not keep If-Match)`,
      {
        cause: error,
        hint: 'nothing was changed; uploads and restores work there, and what replaces objects (prune, repair, balance) needs another server, a newer one, or a bucket without versions',
      },
    );
  }
}
