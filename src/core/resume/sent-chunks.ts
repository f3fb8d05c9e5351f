// Asks the store what is there of an interrupted upload. Only chunks of the size that was noted are believed; a writer
// that may not list has to trust its journal.
import { isArchiverError } from '../errors.js';
import { manifestKeyOf } from '../manifest/open-manifest.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';
import type { AcknowledgedChunk } from './upload-journal.js';

const DIRECT = /^uploads\/[^/]+\/(files\/.+)$/;
const CHUNK_NUMBER = /\/chunk-(\d{6,})\.tar\.zst$/;

export interface SentChunks {
  readonly chunks: readonly AcknowledgedChunk[];
  /** Whether the manifest of the newest id is there; undefined for a writer that may not list. */
  readonly hasManifest: boolean | undefined;
  /** Chunks that are there without having been noted. */
  readonly unnoted: readonly ObjectInfo[];
  /** Keys of files that are objects, below the folder of the upload; undefined for a writer that may not list. */
  readonly directKeys: readonly string[] | undefined;
  /** No chunk number from here on was seen. */
  readonly nextChunk: number;
}

/** `uploadIds` are all ids of the upload, the one in force last. One LIST each. @throws what the store throws */
export async function findSent(
  reader: ObjectReader,
  uploadIds: readonly string[],
  noted: readonly AcknowledgedChunk[],
  signal: AbortSignal,
): Promise<SentChunks> {
  const byNumber = new Map(noted.map((chunk) => [chunk.record.chunk, chunk]));
  const chunks = [...byNumber.values()];
  const highest = chunks.reduce((most, { record }) => Math.max(most, record.chunk), -1);
  const there = new Map<string, ObjectInfo>();
  try {
    for (const uploadId of uploadIds) {
      for await (const page of reader.list({ prefix: `uploads/${uploadId}/`, signal }))
        for (const object of page.objects) there.set(object.key, object);
    }
  } catch (error) {
    if (isArchiverError(error, 'access-denied'))
      return { chunks, hasManifest: undefined, unnoted: [], directKeys: undefined, nextChunk: highest + 1 };
    throw error;
  }
  const keys = new Set(chunks.map(({ key }) => key));
  const seen = [...there.keys()].reduce(
    (most, key) => Math.max(most, Number(CHUNK_NUMBER.exec(key)?.[1] ?? -1)),
    highest,
  );
  const isThere = (key: string, { size }: ChunkRecord): boolean => there.get(key)?.sizeBytes === size;
  return {
    chunks: chunks.filter(({ key, record, direct = [] }) => {
      const folder = key.slice(0, -record.key.length);
      return isThere(key, record) && direct.every((file) => isThere(folder + file.key, file));
    }),
    directKeys: [...there.keys()].flatMap((key) => DIRECT.exec(key)?.[1] ?? []),
    hasManifest: there.has(manifestKeyOf(uploadIds.at(-1) ?? '')),
    unnoted: [...there.values()].filter(({ key }) => CHUNK_NUMBER.test(key) && !keys.has(key)),
    nextChunk: seen + 1,
  };
}
