// Reads the tables of contents of the chunks in an upload's folder, with one GET of the last bytes of each.
import { loadCodec } from '../../platform/codec/codec.js';
import { errorText, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { CHUNK_KEY } from '../../format/manifest/chunk-key.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { FOOTER_BYTES, tableBytes } from '../../format/chunk/table-frame.js';
import { readChunkTable, type ChunkTable, surveyLines } from '../../format/chunk/chunk-table.js';
import type { BadChunk, FoundChunk } from './found-chunk.js';
import type { FolderObjects } from './folder-objects.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import { resultPath } from '../../platform/failures/failure-list.js';

/** Bytes fetched at first; most tables are smaller. */
const GUESS_BYTES = 256 * 1024;
const MAX_TABLE_BYTES = 256 * 1024 * 1024;

export interface FoundChunks {
  /** Chunks by number, including direct files. */
  readonly chunks: readonly FoundChunk[];
  /** Chunks with unusable tables, and direct files that do not exist or are not listed. */
  readonly bad: readonly BadChunk[];
  /** Numbers of missing chunks, below the highest existing one. */
  readonly missing: readonly number[];
  /** Objects of the upload that are neither chunks nor manifests. */
  readonly others: readonly string[];
}

export interface FetchTablesOptions {
  readonly requestsAtOnce: number;
  readonly emit?: EventSink | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the tables of all chunks in the folder. @throws cold-storage where a chunk must be thawed first, unsupported for a newer format,
 * and errors of the store
 */
export async function fetchTables(
  reader: ObjectReader,
  { uploadId, chunks: objects, files, others }: FolderObjects,
  options: FetchTablesOptions,
): Promise<FoundChunks> {
  const folder = uploadFolder(uploadId);
  const chunks: FoundChunk[] = [];
  const bad: BadChunk[] = [];
  const { emit = ignoreEvents } = options;
  emit({ type: 'phase', phase: 'listing' });
  emit({ type: 'plan', items: objects.length, bytes: 0 });
  const meter = progressMeter(emit);
  await forEachLimit(objects, options.requestsAtOnce, async (object) => {
    throwIfCancelled(options.signal);
    const key = object.key.slice(folder.length);
    try {
      chunks.push(await readOne(reader, object, key, { ...options, uploadId }));
    } catch (error) {
      if (!isArchiverError(error, 'integrity')) throw error;
      bad.push({ key, reason: errorText(error) });
    }
    meter.add(1, 0);
  });
  const direct = findObjects(newestOfEach(chunks, objects, folder), files);
  const found = [...direct.chunks, ...direct.objects].sort((a, b) => a.table.chunk - b.table.chunk);
  bad.push(...direct.bad);
  bad.sort((a, b) => (a.key < b.key ? -1 : 1));
  const listed = chunks.flatMap(({ table }) => table.objects.map(({ chunk }) => chunk));
  return { chunks: found, bad, missing: missingNumbers(objects, folder, listed), others };
}

/** Keeps the newest of several objects with the same chunk number: a balance leaves the object that it copied until a prune deletes it. */
function newestOfEach(
  chunks: readonly FoundChunk[],
  objects: readonly ObjectInfo[],
  folder: string,
): readonly FoundChunk[] {
  const written = new Map(objects.map(({ key, lastModified }) => [key.slice(folder.length), lastModified.getTime()]));
  const oldestFirst = chunks.toSorted((a, b) => (written.get(a.key) ?? 0) - (written.get(b.key) ?? 0));
  return [...new Map(oldestFirst.map((chunk) => [chunk.table.chunk, chunk])).values()];
}

async function readOne(
  reader: ObjectReader,
  { key: fullKey, sizeBytes: size, storageClass }: ObjectInfo,
  key: string,
  { uploadId, signal }: FetchTablesOptions & { readonly uploadId: UploadId },
): Promise<FoundChunk> {
  if (size < FOOTER_BYTES) throw integrityError(`it has ${size} bytes`);
  const guess = await fetchTail(reader, fullKey, Math.min(size, GUESS_BYTES), signal);
  const length = tableBytes(guess);
  if (length > Math.min(size, MAX_TABLE_BYTES)) throw integrityError('its table of contents is larger than it can be');
  const bytes = length <= guess.length ? guess.subarray(-length) : await fetchTail(reader, fullKey, length, signal);
  const table = readChunkTable(loadCodec(), Buffer.from(bytes), uploadId);
  const [, shard, , number] = CHUNK_KEY.exec(key) ?? [];
  if (Number(number) !== table.chunk) throw integrityError(`its table of contents belongs to chunk ${table.chunk}`);
  const stored = table.frames.reduce((sum, frame) => sum + frame.size, table.tocSize);
  if (stored !== size)
    throw integrityError(`it has ${size} bytes, but should have ${stored} according to its table of contents`);
  // A balance moves chunks to other shards without changing their bytes.
  return { key, size, storageClass, table: { ...table, shard: Number(shard) } };
}

const fetchTail = async (reader: ObjectReader, key: string, suffix: number, signal: AbortSignal): Promise<Buffer> =>
  await readAll(await reader.get(key, { range: { suffix }, signal }), suffix);

/** Returns missing numbers below the highest chunk number; `listed` are the numbers of direct files, which have no chunk. */
function missingNumbers(objects: readonly ObjectInfo[], folder: string, listed: readonly number[]): readonly number[] {
  const there = new Set(objects.map(({ key }) => Number(CHUNK_KEY.exec(key.slice(folder.length))?.[3])));
  const end = [...there].reduce((most, number) => Math.max(most, number), 0);
  for (const number of listed) there.add(number);
  return Array.from({ length: end }, (_, number) => number).filter((number) => !there.has(number));
}

// Direct files are objects without a table of contents that the table of a chunk lists. They are turned into chunks here, so that they are
// read through and counted like them.

interface FoundObjects {
  /** The given chunks, without listed files that do not exist. */
  readonly chunks: readonly FoundChunk[];
  readonly objects: readonly FoundChunk[];
  readonly bad: readonly BadChunk[];
}

/** Finds the direct files that the chunks list; `present` has those in the upload's folder, by key relative to it. */
function findObjects(chunks: readonly FoundChunk[], present: ReadonlyMap<string, ObjectInfo>): FoundObjects {
  const objects: FoundChunk[] = [];
  const bad: BadChunk[] = [];
  const unlisted = new Set(present.keys());
  const complete = chunks.map((chunk) => {
    const lost = new Set<number>();
    for (const record of chunk.table.objects) {
      const { key, size } = record;
      const found = present.get(key);
      unlisted.delete(key);
      if (found?.sizeBytes === size) {
        objects.push({
          key,
          size,
          storageClass: found.storageClass,
          table: tableOf(record, chunk),
          listedIn: chunk.table.chunk,
        });
        continue;
      }
      lost.add(record.chunk);
      const state = found === undefined ? 'is not in the store' : `has ${found.sizeBytes} bytes instead of ${size}`;
      for (const { path } of tableOf(record, chunk).lines())
        bad.push({ path: resultPath(path), key, reason: `it ${state}` });
    }
    return lost.size === 0 ? chunk : { ...chunk, table: without(chunk.table, lost) };
  });
  for (const key of unlisted) bad.push({ key, reason: 'no table of contents lists it' });
  return { chunks: complete, objects, bad };
}

function without(table: ChunkTable, lost: ReadonlySet<number>): ChunkTable {
  const lines = function* (): Generator<Entry> {
    for (const entry of table.lines()) if (entry.chunk === undefined || !lost.has(entry.chunk)) yield entry;
  };
  return { ...table, ...surveyLines(lines()), lines };
}

/** Builds the table that a direct file would have, from its entries in the chunk that lists it. */
function tableOf({ chunk, shard, rawSize, level, frames }: ChunkRecord, { table }: FoundChunk): ChunkTable {
  return {
    chunk,
    shard,
    rawSize,
    level,
    frames,
    part: undefined,
    objects: [],
    tocSize: 0,
    entries: 1,
    first: undefined,
    maxLinkGroup: 0,
    *lines() {
      for (const entry of table.lines()) if (entry.chunk === chunk) yield entry;
    },
  };
}
