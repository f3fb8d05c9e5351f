// A chunk found in an upload's folder, as described by its table of contents.
import type { ChunkTable } from '../../format/chunk/chunk-table.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';

export interface FoundChunk extends Pick<ChunkRecord, 'key' | 'size' | 'storageClass' | 'listedIn'> {
  readonly table: ChunkTable;
}

export interface BadChunk {
  /** Set for a direct file whose path is known. */
  readonly path?: string;
  readonly key: string;
  readonly reason: string;
}
