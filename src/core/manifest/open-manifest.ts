// The GET that begins to read a manifest.
import { ArchiverError, isArchiverError } from '../failures/errors.js';
import type { GetOptions, ObjectContent, ObjectReader } from '../object-store/object-store.js';

/** Begins to read the manifest `key`. @throws not-found, access-denied, and what the store says */
export async function openManifest(reader: ObjectReader, key: string, options: GetOptions): Promise<ObjectContent> {
  try {
    return await reader.get(key, options);
  } catch (error) {
    if (!isArchiverError(error, 'not-found', 'access-denied')) throw error;
    const isDenied = error.code === 'access-denied';
    const message = isDenied
      ? `cannot read ${key} in ${reader.url}: ${error.message}`
      : `there is no upload here: ${reader.url} has no ${key}`;
    const hint = `archiver list ${reader.url} shows the uploads that there are`;
    throw new ArchiverError(error.code, message, { cause: error, hint: isDenied ? (error.hint ?? hint) : hint });
  }
}
