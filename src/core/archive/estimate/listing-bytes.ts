// What the lists of entries take: the table of contents in each chunk and the manifest. For many small files that is more than their
// content. Runs of lines are written as an upload writes them, with digests that compress as
// little as real ones.
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { loadCodec } from '../../platform/codec/codec.js';
import { entryLine } from '../../format/manifest/entry-line.js';
import { readAccountNames } from '../scan/account-names.js';
import { type EntryTable, KIND, MD5_BYTES, XXH64_BYTES } from '../../format/columns/entry-table.js';

const RUNS = 4;
const RUN_ROWS = 1024;
/** As in table-frame.ts. */
const TABLE_LEVEL = 3;

/** Compressed bytes an entry. */
export interface ListingBytes {
  readonly inChunk: number;
  readonly inManifest: number;
}

/** Measures the lists of a table whose digests are not used yet. */
export function listingBytes(table: EntryTable): ListingBytes {
  const names = readAccountNames();
  const { chunk, kind, offset, size } = table.columns;
  const runs = Math.min(RUNS, Math.ceil(table.count / RUN_ROWS));
  const lines: string[] = [];
  for (let run = 0; run < runs; run++) {
    const first = Math.floor((run * table.count) / runs);
    const last = Math.min(table.count, first + RUN_ROWS);
    for (let index = first, at = 0; index < last; index++) {
      if (kind[index] === KIND.dropped) continue;
      const digest = hash('sha256', String(index));
      table.md5.write(digest.slice(0, 32), index * MD5_BYTES, 'hex');
      table.xxh64.write(digest.slice(32, 48), index * XXH64_BYTES, 'hex');
      chunk[index] = run;
      offset[index] = at;
      at += size[index] ?? 0;
      lines.push(entryLine(table, index, names));
    }
  }
  if (lines.length === 0) return { inChunk: 0, inManifest: 0 };
  const text = Buffer.from(lines.join(',\n'), 'latin1');
  const codec = loadCodec();
  const inChunk = codec.compressFrame(Buffer.allocUnsafe(codec.compressBound(text.length)), text, TABLE_LEVEL);
  return { inChunk: inChunk / lines.length, inManifest: gzipSync(text).length / lines.length };
}
