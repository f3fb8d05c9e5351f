// The chunks of an upload as a level for merging, from their own tables of contents.
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import type { Level } from '../../dataset/chain/merged-view.js';
import type { ObjectReader } from '../../store/object-store.js';
import { assembleCutFiles, type CutFiles } from './cut-files.js';
import { fetchTables, type FetchTablesOptions, type FoundChunks } from './fetch-tables.js';
import type { FoundChunk } from './found-chunk.js';
import type { FolderObjects } from './folder-objects.js';
import { MergedTables } from './merge-tables.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

/** Placeholder for unknown digests: those of chunks that were not read through. */
export const NOT_READ = '0'.repeat(64);

export interface TableFolder {
  readonly uploadId: UploadId;
  readonly found: FoundChunks;
  readonly cut: CutFiles;
  readonly level: Level & { entries(): AsyncIterable<readonly Entry[]> };
}

/** Sizes and digests of stored objects by their full keys, as manifests that can be read give them. */
export class KnownObjects {
  private readonly known = new Map<string, ChunkRecord>();

  /** Takes the records of a manifest. */
  add(uploadId: UploadId, chunks: readonly ChunkRecord[]): void {
    for (const record of chunks) {
      const key = chunkKey(uploadId, record.key);
      if (key !== undefined && record.sha256 !== NOT_READ) this.known.set(key, record);
    }
  }

  /** Of an object with this size. */
  sha256Of(key: string, size: number): string | undefined {
    const record = this.known.get(key);
    return record?.size === size ? record.sha256 : undefined;
  }
}

/** Reads the tables of contents of a folder. @throws what `fetchTables` throws */
export async function openTables(
  reader: ObjectReader,
  objects: FolderObjects,
  { known, ...options }: FetchTablesOptions & { readonly known: KnownObjects },
): Promise<TableFolder> {
  const { uploadId } = objects;
  const found = await fetchTables(reader, objects, options);
  const cut = assembleCutFiles(found.chunks);
  const merged = new MergedTables(found.chunks, cut.segments);
  const entries = (): AsyncIterable<readonly Entry[]> => merged.entries();
  const chunks = found.chunks.map((chunk) =>
    recordOf(chunk, known.sha256Of(`${uploadFolder(uploadId)}${chunk.key}`, chunk.size)),
  );
  return { uploadId, found, cut, level: { uploadId, chunks, mentions: entries, entries } };
}

const recordOf = (
  { key, size, storageClass, table, listedIn }: FoundChunk,
  sha256: string = NOT_READ,
): ChunkRecord => ({
  chunk: table.chunk,
  key,
  shard: table.shard,
  size,
  rawSize: table.rawSize,
  entries: table.entries,
  level: table.level,
  storageClass,
  sha256,
  tocSize: table.tocSize,
  frames: table.frames,
  ...(listedIn === undefined ? {} : { content: 'file', listedIn }),
});
