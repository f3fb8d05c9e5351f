// A chunk in the folder of an upload, known by its table of contents.
import type { ChunkTable } from '../chunk/chunk-table.js';

export interface FoundChunk {
  /** Relative to the folder of the upload. */
  readonly key: string;
  readonly size: number;
  readonly storageClass: string;
  readonly table: ChunkTable;
  /** Of a direct file: the number of the chunk that lists it. */
  readonly listedIn?: number;
}

export interface BadChunk {
  /** Of a direct file whose path is known. */
  readonly path?: string;
  readonly key: string;
  readonly reason: string;
}
