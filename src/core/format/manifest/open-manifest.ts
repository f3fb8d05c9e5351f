// The GET that starts to read a manifest, or finds a fence in its place.
import { Readable } from 'node:stream';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { GetOptions, ObjectContent, ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { isFence, MAX_FENCE_BYTES, SweptUpload } from './fence.js';
import { splitUploadKey } from '../../store/ids/upload-id.js';

/** Starts to read the manifest `key`. @throws not-found, also for a fence; access-denied, and what the store throws */
export async function openManifest(reader: ObjectReader, key: string, options: GetOptions): Promise<ObjectContent> {
  const content = await getManifest(reader, key, options);
  const { uploadId } = splitUploadKey(key) ?? {};
  if (content.totalBytes > MAX_FENCE_BYTES || content.start > 0 || uploadId === undefined) return content;
  const bytes = await readAll(content, MAX_FENCE_BYTES);
  if (isFence(bytes)) throw new SweptUpload(uploadId, reader.url);
  return { ...content, body: Readable.from([bytes]) };
}

async function getManifest(reader: ObjectReader, key: string, options: GetOptions): Promise<ObjectContent> {
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
