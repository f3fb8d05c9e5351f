// Asks the store which chunks of an interrupted upload exist. Only chunks of the noted size count, and none that a mark names:
// they may be deleted at any time. A writer without permission to list cannot know, and sends everything again.
import { ifAllowed } from '../object-store/abilities.js';
import { lookAtFolder } from '../dataset/folder-look.js';
import type { ChunkRecord, UploadId } from '../manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';
import type { AcknowledgedChunk } from './upload-journal.js';
import { manifestKeyOf, uploadFolder } from '../manifest/upload-id.js';

const DIRECT = /^uploads\/[^/]+\/(files\/.+)$/s;
const CHUNK_NUMBER = /\/chunk-(\d{6,})\.tar\.zst$/;

export interface SentChunks {
  readonly chunks: readonly AcknowledgedChunk[];
  /** Whether the manifest of the newest id exists; undefined for a writer without permission to list. */
  readonly hasManifest: boolean | undefined;
  /** Chunks that exist but were not noted. */
  readonly unnoted: readonly ObjectInfo[];
  /** Keys of files that are objects, below the folder of the upload; undefined for a writer without permission to list. */
  readonly directKeys: readonly string[] | undefined;
  /** Chunk numbers from here on are unused. */
  readonly nextChunk: number;
}

/** `uploadIds` are all ids of the upload, the current one last. One LIST each. @throws what the store throws */
export async function findSent(
  reader: ObjectReader,
  uploadIds: readonly UploadId[],
  noted: readonly AcknowledgedChunk[],
  signal: AbortSignal,
): Promise<SentChunks> {
  const byNumber = new Map(noted.map((chunk) => [chunk.record.chunk, chunk]));
  const chunks = [...byNumber.values()];
  const highest = chunks.reduce((most, { record }) => Math.max(most, record.chunk), -1);
  const objects: ObjectInfo[] = [];
  const sound = new Map<string, ObjectInfo>();
  for (const uploadId of uploadIds) {
    const prefix = uploadFolder(uploadId);
    const look = await ifAllowed(reader, 'list', prefix, () => lookAtFolder(reader, prefix, signal));
    if (look === undefined)
      return { chunks: [], hasManifest: undefined, unnoted: [], directKeys: undefined, nextChunk: highest + 1 };
    objects.push(...look.objects);
    for (const [key, object] of look.sound) sound.set(key, object);
  }
  const keys = new Set(chunks.map(({ key }) => key));
  const isThere = (key: string, { size }: ChunkRecord): boolean => sound.get(key)?.sizeBytes === size;
  const newest = uploadIds.at(-1);
  return {
    chunks: chunks.filter(({ key, record, direct = [] }) => {
      const folder = key.slice(0, -record.key.length);
      return isThere(key, record) && direct.every((file) => isThere(folder + file.key, file));
    }),
    directKeys: objects.flatMap(({ key }) => DIRECT.exec(key)?.[1] ?? []),
    hasManifest: newest !== undefined && objects.some(({ key }) => key === manifestKeyOf(newest)),
    unnoted: [...sound.values()].filter(({ key }) => CHUNK_NUMBER.test(key) && !keys.has(key)),
    nextChunk:
      objects.reduce((most, { key }) => Math.max(most, Number(CHUNK_NUMBER.exec(key)?.[1] ?? -1)), highest) + 1,
  };
}
