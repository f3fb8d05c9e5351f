// A chunk found in an upload's folder, as described by its table of contents.
import type { ChunkTable } from '../../format/chunk/chunk-table.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

/** Its key is relative to the folder of the upload; chunks of the parts of a plan lie in others. */
export interface FoundChunk extends Pick<ChunkRecord, 'key' | 'size' | 'storageClass' | 'listedIn'> {
  readonly table: ChunkTable;
  /** Its number in the folder where it lies, if the table has been given another. */
  readonly number?: number;
}

/** The full key of a chunk that was found for an upload. */
export const fullKeyOf = (uploadId: UploadId, { key }: Pick<FoundChunk, 'key'>): string =>
  chunkKey(uploadId, key) ?? uploadFolder(uploadId) + key;

export interface BadChunk {
  /** Set for a direct file whose path is known. */
  readonly path?: string;
  readonly key: string;
  readonly reason: string;
}
