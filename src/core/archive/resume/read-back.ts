// Reads back chunks of an upload that are in the store but not in the journal, because the journal could not be written, or another
// computer sent them. They are read whole, checked against their own tables of contents, and then used like noted ones.
import { hash } from 'node:crypto';
import { loadCodec } from '../../platform/codec/codec.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { type ChunkTable, readChunkTable } from '../../format/chunk/chunk-table.js';
import { tableBytes } from '../../format/chunk/table-frame.js';
import { sentChunk } from './entry-log.js';
import type { AcknowledgedChunk } from './upload-journal.js';

const FOOTER_BYTES = 32;

/** Returns the chunks that are sound. One GET each. @throws what the store throws, except for access-denied and cold chunks */
export async function readBack(
  reader: ObjectReader,
  chunks: readonly ObjectInfo[],
  signal: AbortSignal,
): Promise<readonly AcknowledgedChunk[]> {
  const found: AcknowledgedChunk[] = [];
  for (const object of chunks) {
    const chunk = await readOne(reader, object, signal);
    if (chunk !== undefined) found.push(chunk);
  }
  return found;
}

/** Reads a chunk; undefined when it cannot be used: it is sent again under another number. */
async function readOne(
  reader: ObjectReader,
  { key, sizeBytes: size, storageClass }: ObjectInfo,
  signal: AbortSignal,
): Promise<AcknowledgedChunk | undefined> {
  const place = sentChunk(key);
  if (place === undefined) return undefined;
  try {
    const content = await ifAllowed(reader, 'read', key, () => reader.get(key, { signal }));
    if (content === undefined) return undefined;
    const bytes = await readAll(content, size);
    const tocSize = tableBytes(bytes.subarray(Math.max(0, bytes.length - FOOTER_BYTES)));
    const toc = bytes.subarray(Math.max(0, bytes.length - tocSize));
    const table = readChunkTable(loadCodec(), toc, place.uploadId);
    if (!isSound(table, bytes) || table.objects.length > 0) return undefined;
    const { chunk, shard, rawSize, level, frames, entries } = table;
    const record = { chunk, key: place.name, shard, size, rawSize, entries, level, storageClass };
    return { key, record: { ...record, sha256: hash('sha256', bytes), tocSize, frames }, toc: Buffer.from(toc) };
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'unsupported', 'cold-storage', 'not-found')) throw error;
    return undefined;
  }
}

function isSound({ frames, tocSize }: ChunkTable, bytes: Buffer): boolean {
  let at = 0;
  for (const { size, sha256 } of frames) {
    if (hash('sha256', bytes.subarray(at, at + size)) !== sha256) return false;
    at += size;
  }
  return at + tocSize === bytes.length;
}
