// Decides whether a chunk must stay in its shard, and why.
import { CHUNK_KEY } from '../../format/manifest/chunk-key.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectInfo } from '../../store/object-store.js';
import type { Neighbours } from './neighbours.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

/**
 * - `other-upload`: it is in another upload.
 * - `referred`: the manifest of another upload names it, so that it would be stored twice.
 * - `writer`: the newest version of a fleet writer, which continues it from its cache and would keep using the old keys.
 * - `storage-class`: moving it costs a retrieval or the rest of its minimum storage time, or it cannot be read at all.
 * - `too-large`: more than one copy request can move.
 * - `doubled`: it was moved before, and another upload refers to where it was.
 * - `direct`: it is a file that was uploaded directly, under its own name.
 * - `foreign-key`: its key is not one that archiver gives to chunks.
 */
export type StayReason =
  | 'other-upload'
  | 'referred'
  | 'writer'
  | 'storage-class'
  | 'too-large'
  | 'doubled'
  | 'direct'
  | 'foreign-key';

export interface Surroundings {
  readonly uploadId: UploadId;
  readonly writerId: string | undefined;
  readonly neighbours: Pick<Neighbours, 'referred' | 'isNewest'>;
  /** Chunks in the upload's folder, by key. */
  readonly present: ReadonlyMap<string, Pick<ObjectInfo, 'storageClass'>>;
  /** Names of chunks that were moved before and whose other object another upload refers to. */
  readonly doubled: ReadonlySet<string>;
}

const MAX_COPY_BYTES = 5 * 2 ** 30;

/** Returns `chunk-000017` for a chunk key relative to the upload, moved or not; undefined for any other key. */
export const chunkName = (relative: string): string | undefined => CHUNK_KEY.exec(relative)?.[2];

/** Returns why the chunk must stay, or undefined when it may move. Its object must exist. */
export function stayReason(chunk: ChunkRecord, around: Surroundings): StayReason | undefined {
  const { uploadId, writerId, neighbours, present, doubled } = around;
  const own = uploadFolder(uploadId);
  const key = chunkKey(uploadId, chunk.key);
  if (key === undefined || !key.startsWith(own)) return 'other-upload';
  if (chunk.content === 'file') return 'direct';
  const name = chunkName(key.slice(own.length));
  if (name === undefined) return 'foreign-key';
  if (neighbours.referred.has(key)) return 'referred';
  if (neighbours.isNewest && writerId !== undefined) return 'writer';
  if (present.get(key)?.storageClass !== 'STANDARD') return 'storage-class';
  if (chunk.size > MAX_COPY_BYTES) return 'too-large';
  return doubled.has(name) ? 'doubled' : undefined;
}
