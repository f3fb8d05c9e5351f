// Whether the chunks of earlier uploads that a new manifest refers to are there. A manifest that this computer remembers may
// name chunks that have been moved since (balance): nothing is committed on its word alone.
import { isArchiverError } from '../../errors.js';
import { chunkKey } from '../../manifest/manifest-check.js';
import type { ChunkRecord } from '../../manifest/manifest-types.js';
import type { ObjectReader } from '../../object-store/object-store.js';

/** The first chunk that is missing or has another size; undefined when all stand, or this writer may not list. */
export async function missingReference(
  store: ObjectReader,
  uploadId: string,
  chunks: readonly ChunkRecord[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = new Map<string, number>();
  for (const { key, size } of chunks) {
    const full = key.startsWith('../') ? chunkKey(uploadId, key) : undefined;
    if (full !== undefined) wanted.set(full, size);
  }
  const folders = new Set([...wanted.keys()].map((key) => key.split('/').slice(0, 2).join('/')));
  try {
    for (const folder of folders) {
      for await (const page of store.list({ prefix: `${folder}/`, signal })) {
        for (const { key, sizeBytes } of page.objects) if (wanted.get(key) === sizeBytes) wanted.delete(key);
      }
    }
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return undefined;
    throw error;
  }
  return wanted.keys().next().value;
}
