// The chunks of an upload as a level for merging, read from their own tables of contents.
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, Entry, Segment } from '../../format/manifest/manifest-types.js';
import type { Level } from '../../dataset/chain/merged-view.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { FetchTablesOptions, FoundChunks } from './fetch-tables.js';
import { type FoundChunk, fullKeyOf } from './found-chunk.js';
import { fetchAll } from './plan-tables.js';
import type { FolderObjects } from './folder-objects.js';
import { MergedTables } from './merge-tables.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { listsByKey } from '../../platform/lists-by-key.js';

/** Placeholder for the unknown digest of a chunk that was not read through. */
export const NOT_READ = '0'.repeat(64);

export interface TableFolder {
  readonly uploadId: UploadId;
  readonly found: FoundChunks;
  readonly cut: CutFiles;
  readonly level: Level & { entries(): AsyncIterable<readonly Entry[]> };
}

/** Sizes and digests of stored objects by full key, from manifests that can be read. */
export class KnownObjects {
  private readonly known = new Map<string, ChunkRecord>();

  /** Adds the chunk records of a manifest. */
  add(uploadId: UploadId, chunks: readonly ChunkRecord[]): void {
    for (const record of chunks) {
      const key = chunkKey(uploadId, record.key);
      if (key !== undefined && record.sha256 !== NOT_READ) this.known.set(key, record);
    }
  }

  /** Returns the digest of the object with this key and size; undefined when not known. */
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
  const found = await fetchAll(reader, objects, options);
  const cut = assembleCutFiles(found.chunks);
  const merged = new MergedTables(found.chunks, cut.segments);
  const entries = (): AsyncIterable<readonly Entry[]> => merged.entries();
  const chunks = found.chunks.map((chunk) => recordOf(chunk, known.sha256Of(fullKeyOf(uploadId, chunk), chunk.size)));
  return { uploadId, found, cut, level: { uploadId, chunks, mentions: entries, entries } };
}

const recordOf = (
  { key, size, storageClass, table, listedIn, number = table.chunk }: FoundChunk,
  sha256: string = NOT_READ,
): ChunkRecord => ({
  chunk: number,
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

// Matches the pieces of cut files: finds the chunks that hold them, and files that lack a piece.

interface LostFile {
  readonly path: RawPath;
  readonly reason: string;
}

interface CutFiles {
  /** Positions of the pieces, by the chunk number of the last piece; `chunk` is the position in the list of chunks. */
  readonly segments: ReadonlyMap<number, readonly Segment[]>;
  /** Files with a missing piece. */
  readonly lost: readonly LostFile[];
}

interface Piece {
  /** Position in the list of chunks. */
  readonly position: number;
  readonly chunk: number;
  readonly path: RawPath;
  readonly number: number;
  readonly of: number;
  readonly offset: number;
  readonly segment: Segment;
}

/** Finds the pieces of cut files in chunks, which are given by ascending number. A file that was packed again gets its newest pieces. */
export function assembleCutFiles(chunks: readonly FoundChunk[]): CutFiles {
  const segments = new Map<number, readonly Segment[]>();
  const lost: (LostFile & { readonly chunk: number })[] = [];
  for (const pieces of piecesByPath(chunks)) {
    const lasts = pieces.filter(({ number, of }) => number === of);
    for (const last of lasts) {
      const found = segmentsOf(last, pieces);
      if (typeof found === 'number') {
        const reason = `part ${found} of ${last.of} is missing`;
        for (const { path } of chunks[last.position]?.table.lines() ?? [])
          lost.push({ path, reason, chunk: last.chunk });
      } else {
        segments.set(last.chunk, found);
      }
    }
    const newest = pieces.at(-1);
    if (newest === undefined || lasts.length > 0 || wasLeftOut(pieces, chunks)) continue;
    const parts = newest.of === 0 ? 'parts' : `${newest.of} parts`;
    lost.push({ path: newest.path, reason: `the last of its ${parts} is missing`, chunk: newest.chunk });
  }
  const isListed = (path: RawPath, after: number): boolean =>
    chunks.some(({ table, listedIn }) => {
      const isUsable =
        listedIn === undefined && table.chunk > after && (table.part === undefined || segments.has(table.chunk));
      return isUsable && [...table.lines()].some((entry) => entry.path === path);
    });
  return {
    segments,
    lost: lost.filter(({ path, chunk }) => !isListed(path, chunk)).map(({ chunk: _chunk, ...file }) => file),
  };
}

function piecesByPath(chunks: readonly FoundChunk[]): Iterable<readonly Piece[]> {
  const pieces = chunks.flatMap((chunk, position) => pieceOf(chunk, position) ?? []);
  return listsByKey(pieces, ({ path }) => path).values();
}

function pieceOf({ table }: FoundChunk, position: number): Piece | undefined {
  const { part, first, chunk } = table;
  if (part === undefined || first === undefined) return undefined;
  const { number, of, offset, stored } = part;
  const segment = { chunk: position, offset: first.offset ?? 0, size: stored };
  return { position, chunk, path: first.path, number, of, offset, segment };
}

/** Returns the segments, each piece being the newest that was packed before the next one; or the number of a missing piece. */
function segmentsOf(last: Piece, pieces: readonly Piece[]): readonly Segment[] | number {
  const byNumber = listsByKey(pieces, ({ number }) => number);
  const chain = [last.segment];
  let next = last;
  for (let number = last.of - 1; number > 0; number -= 1) {
    const fits = ({ of, chunk, offset, segment }: Piece): boolean =>
      (of === last.of || of === 0) && chunk < next.chunk && offset + segment.size === next.offset;
    const piece = byNumber.get(number)?.findLast(fits);
    if (piece === undefined) return number;
    chain.push(piece.segment);
    next = piece;
  }
  return chain.toReversed();
}

// A file that could not be read to its end leaves pieces that no entry names, and a last chunk that lists nothing.
function wasLeftOut(pieces: readonly Piece[], chunks: readonly FoundChunk[]): boolean {
  return pieces.some(({ chunk, number, of }) => {
    const last = chunks.find(({ table }) => table.chunk === chunk + of - number)?.table;
    return last?.part?.of === of && last.part.number === of && last.entries === 0;
  });
}
