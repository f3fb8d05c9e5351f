// Asks the store which chunks of an interrupted upload exist. Only chunks of the noted size count, and none that a mark names, since those
// may be deleted at any time. A writer without permission to list cannot know, and sends everything again.
import { ifAllowed } from '../../store/abilities.js';
import { checkFolder } from '../../dataset/check-references.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import type { AcknowledgedChunk } from './upload-journal.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

const CHUNK = /\/chunk-\d{6,}\.tar\.zst$/;

export interface SentChunks {
  readonly chunks: readonly AcknowledgedChunk[];
  /** Chunks that exist but were not noted. */
  readonly unnoted: readonly ObjectInfo[];
}

/** Finds the chunks; `uploadIds` are all IDs of the upload. One LIST each. @throws what the store throws */
export async function findSent(
  reader: ObjectReader,
  uploadIds: readonly UploadId[],
  noted: readonly AcknowledgedChunk[],
  signal: AbortSignal,
): Promise<SentChunks> {
  const sound = new Map<string, ObjectInfo>();
  for (const uploadId of uploadIds) {
    const prefix = uploadFolder(uploadId);
    const look = await ifAllowed(reader, 'list', prefix, () => checkFolder(reader, prefix, signal));
    if (look === undefined) return { chunks: [], unnoted: [] };
    for (const [key, object] of look.sound) sound.set(key, object);
  }
  const keys = new Set(noted.map(({ key }) => key));
  const isThere = (key: string, { size }: ChunkRecord): boolean => sound.get(key)?.sizeBytes === size;
  return {
    chunks: noted.filter(({ key, record, direct = [] }) => {
      const folder = key.slice(0, -record.key.length);
      return isThere(key, record) && direct.every((file) => isThere(folder + file.key, file));
    }),
    unnoted: [...sound.values()].filter(({ key }) => CHUNK.test(key) && !keys.has(key)),
  };
}
