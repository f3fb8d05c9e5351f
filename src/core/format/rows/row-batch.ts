// Rows that a scan has read, in columns.
import { type RawPath, rawFromBytes, TOP } from '../../platform/paths/raw-path.js';
import { KIND, MD5_BYTES, XXH64_BYTES } from '../columns/entry-table.js';
import type { Entry } from '../manifest/manifest-types.js';

const NO_CHUNK = -1;

/** Rows in columns, which are others after the next batch. Those behind `count` are of earlier ones. */
export interface RowBatch extends Columns {
  readonly count: number;
  readonly files: number;
  readonly directories: number;
  /** Of the files together. */
  readonly bytes: number;
  /** The line of a row as it was written (plain-line.ts), without its end. */
  line(row: number): RawPath;
  /** Parses the line of a row, for whoever needs all of it. */
  entry(row: number): Entry;
}

export interface Columns {
  /** 0 for a file, 1 for a folder. */
  readonly kind: Uint8Array;
  readonly mode: Uint16Array;
  readonly uid: Uint32Array;
  readonly gid: Uint32Array;
  readonly size: Float64Array;
  readonly mtimeSeconds: Float64Array;
  readonly mtimeNanos: Uint32Array;
  readonly ctimeSeconds: Float64Array;
  readonly ctimeNanos: Uint32Array;
  /** Position in the chunks that were given; -1 for none. */
  readonly chunk: Int32Array;
  readonly offset: Float64Array;
  readonly hasMd5: Uint8Array;
  readonly hasXxh64: Uint8Array;
  /** 16 bytes each. */
  readonly md5: Buffer;
  /** 8 bytes each, big-endian. */
  readonly xxh64: Buffer;
  /** All paths, one after the other, of which each ends where `pathEnd` says. */
  readonly paths: Buffer;
  readonly pathEnd: Uint32Array;
}

/** The path of a row. */
export const pathOf = ({ paths, pathEnd }: RowBatch, row: number): RawPath =>
  rawFromBytes(paths, row === 0 ? 0 : pathEnd[row - 1], pathEnd[row]);

/** The entry of a row, as it is parsed without the names of owners; its offset is 0 where the line has none. */
export function entryOf(batch: RowBatch, row: number): Entry {
  const mtime = { seconds: batch.mtimeSeconds[row] ?? 0, nanos: batch.mtimeNanos[row] ?? 0 };
  const entry: { -readonly [K in keyof Entry]: Entry[K] } = {
    path: pathOf(batch, row),
    type: batch.kind[row] === KIND.file ? 'file' : 'directory',
    size: batch.size[row] ?? 0,
    mtime,
    mode: batch.mode[row] ?? 0,
    uid: batch.uid[row] ?? 0,
    gid: batch.gid[row] ?? 0,
    offset: batch.offset[row] ?? 0,
    ctime: mtime,
    inode: TOP,
  };
  const chunk = batch.chunk[row] ?? NO_CHUNK;
  if (chunk !== NO_CHUNK) entry.chunk = chunk;
  if (batch.hasMd5[row] === 1) entry.md5 = batch.md5.toString('hex', row * MD5_BYTES, (row + 1) * MD5_BYTES);
  if (batch.hasXxh64[row] === 1) entry.xxh64 = batch.xxh64.toString('hex', row * XXH64_BYTES, (row + 1) * XXH64_BYTES);
  return entry;
}
