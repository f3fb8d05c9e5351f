// Direct files in a repair: objects without a table of contents that the table of a chunk lists. They are turned into chunks
// so that they are read through and counted like them.
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { type ChunkTable, surveyLines } from '../../format/chunk/chunk-table.js';
import type { BadChunk, FoundChunk } from './found-chunk.js';

export interface FoundObjects {
  /** Without listed files that do not exist. */
  readonly chunks: readonly FoundChunk[];
  readonly objects: readonly FoundChunk[];
  readonly bad: readonly BadChunk[];
}

/** `present` are the direct files in the folder of the upload, by their keys in it. */
export function findObjects(chunks: readonly FoundChunk[], present: ReadonlyMap<string, ObjectInfo>): FoundObjects {
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
      const is = found === undefined ? 'is not in the store' : `has ${found.sizeBytes} bytes instead of ${size}`;
      for (const { path } of tableOf(record, chunk).lines())
        bad.push({ path: resultPath(path), key, reason: `it ${is}` });
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

/** The table that an object would have: its entries, which are listed in another chunk. */
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
