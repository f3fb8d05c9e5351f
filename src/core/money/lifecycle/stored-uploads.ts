// Finds the uploads of a store and how many of their chunks still have to be moved, with one listing of its uploads and writers.
import { isFenceObject } from '../../format/manifest/fence.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { canMove } from './classes.js';

const CHUNK = new RegExp(String.raw`^((?:writers/[^/]+/)?uploads/(${UPLOAD_ID})/)(shard-\d+/chunk-)?`);
const PLACES = ['uploads/', 'writers/'] as const;

export interface StoredUpload {
  readonly uploadId: string;
  /** Key prefix in the bucket that only its chunks have. */
  readonly chunkPrefix: string;
  /** Key of its folder in the bucket. */
  readonly folder: string;
  /** Chunks that can move to the last class of the template. */
  readonly waitingChunks: number;
  readonly waitingBytes: number;
}

/** Returns every upload, oldest first. `storePrefix` is the store's key prefix in its bucket. @throws what the store says to a listing */
export async function storedUploads(
  store: ObjectReader,
  storePrefix: string,
  target: string,
  signal?: AbortSignal,
): Promise<readonly StoredUpload[]> {
  const found = new Map<string, { uploadId: string; waitingChunks: number; waitingBytes: number }>();
  for (const prefix of PLACES) {
    for await (const { objects } of store.list({ prefix, signal })) {
      for (const { key, sizeBytes, storageClass } of objects) {
        const [, folder, uploadId, chunk] = CHUNK.exec(key) ?? [];
        if (
          folder === undefined ||
          uploadId === undefined ||
          !isWellFormedKey(key) ||
          isFenceObject({ key, sizeBytes })
        )
          continue;
        const upload = found.get(folder) ?? { uploadId, waitingChunks: 0, waitingBytes: 0 };
        found.set(folder, upload);
        if (chunk === undefined || !canMove(storageClass, sizeBytes, target)) continue;
        upload.waitingChunks += 1;
        upload.waitingBytes += sizeBytes;
      }
    }
  }
  const base = storePrefix === '' ? '' : `${storePrefix}/`;
  return Array.from(found, ([folder, upload]) => ({
    ...upload,
    folder: base + folder,
    chunkPrefix: `${base}${folder}shard-`,
  })).sort((a, b) => (a.uploadId < b.uploadId ? -1 : 1));
}
