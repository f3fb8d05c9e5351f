// Computes digests of chunks that only the lost manifest had: the upload's own chunks are read through, and chunks in other folders that
// the view refers to but no manifest lists.
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { MergedView } from '../../dataset/chain/merged-view.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { Choice } from './choose-layers.js';
import type { FoundChunk } from './found-chunk.js';
import { readChunks, type ReadChunk, type ReadChunksOptions } from './read-chunks.js';
import { NOT_READ, type TableFolder } from './table-folder.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { fullKeyOf } from './found-chunk.js';

/** Chunks of a folder that must be read, and the results of reading them. */
export interface FolderRead {
  readonly tables: TableFolder;
  readonly chunks: readonly FoundChunk[];
  /** Results in the order of `chunks`; empty before they are read. */
  readonly read: readonly ReadChunk[];
}

/** Returns the chunks that have to be read for this choice. */
export function chunksToRead(choice: Choice, uploadId: UploadId): readonly FolderRead[] {
  const needed = new Set<string>();
  choice.view.chunks.forEach(({ key, sha256 }, position) => {
    const full = chunkKey(uploadId, key);
    if (full !== undefined && sha256 === NOT_READ && choice.used[position] === 1) needed.add(full);
  });
  return choice.layers.flatMap(({ tables, hasSegments }) => {
    if (tables === undefined) return [];
    const isOwn = tables.uploadId === uploadId;
    const chunks = tables.found.chunks.filter(
      (chunk) => (isOwn && hasSegments === undefined) || needed.has(fullKeyOf(tables.uploadId, chunk)),
    );
    return chunks.length === 0 ? [] : [{ tables, chunks, read: [] }];
  });
}

export const bytesToRead = (folders: readonly FolderRead[]): number =>
  folders.reduce((sum, { chunks }) => sum + chunks.reduce((bytes, { size }) => bytes + size, 0), 0);

export interface ReadFoldersOptions extends Omit<ReadChunksOptions, 'uploadId' | 'meter'> {
  readonly emit?: EventSink | undefined;
}

/** Reads the chunks through. @throws what `readChunks` throws */
export async function readFolders(
  reader: ObjectReader,
  folders: readonly FolderRead[],
  { emit = ignoreEvents, ...options }: ReadFoldersOptions,
): Promise<readonly FolderRead[]> {
  emit({ type: 'phase', phase: 'reading' });
  const items = folders.reduce((sum, { chunks }) => sum + chunks.length, 0);
  emit({ type: 'plan', items, bytes: bytesToRead(folders) });
  const meter = progressMeter(emit);
  const done: FolderRead[] = [];
  for (const { tables, chunks } of folders) {
    const read = await readChunks(reader, chunks, { ...options, uploadId: tables.uploadId, meter });
    done.push({ tables, chunks, read });
  }
  meter.finish();
  return done;
}

/** Fills in digests that were read where records lack them. */
export class ReadDigests {
  private readonly digests = new Map<string, string>();

  constructor(folders: readonly FolderRead[]) {
    for (const { tables, chunks, read } of folders) {
      read.forEach(({ sha256 }, index) => {
        const chunk = chunks[index];
        if (chunk !== undefined) this.digests.set(fullKeyOf(tables.uploadId, chunk), sha256);
      });
    }
  }

  /** Keys are relative to `uploadId`. A digest from a manifest is kept, because the chunk as read may be damaged. */
  chunks(chunks: readonly ChunkRecord[], uploadId: UploadId): readonly ChunkRecord[] {
    return chunks.map((record) => {
      const found = record.sha256 === NOT_READ ? this.digests.get(chunkKey(uploadId, record.key) ?? '') : undefined;
      return found === undefined ? record : { ...record, sha256: found };
    });
  }

  view(view: MergedView, uploadId: UploadId): MergedView {
    return { chunks: this.chunks(view.chunks, uploadId), entries: (onForeign) => view.entries(onForeign) };
  }
}
