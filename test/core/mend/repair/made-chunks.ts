// Chunks as the repair finds them, made of tables of contents that a test writes by hand.
import { encodeTable } from '../../../../src/core/format/chunk/table-frame.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import { readChunkTable, type PartRecord } from '../../../../src/core/format/chunk/chunk-table.js';
import type { FoundChunk } from '../../../../src/core/mend/repair/found-chunk.js';
import type { Json } from '../../../support/make-archive.js';
import { asUploadId } from '../../../support/as-upload-id.js';

export const UPLOAD_ID = '20251114-093012-1a2b3c4d';
const MTIME = '2025-11-14T09:30:12.123456789Z';
const FRAME = { size: 100, rawSize: 5000, sha256: 'a'.repeat(64) };

/** An entry of a table; `version` makes it tell from others of its path. */
export const entry = (path: string, chunk: number, more: Json = {}): Json => ({
  path,
  type: 'file',
  size: 10,
  mtime: MTIME,
  mode: '0644',
  uid: 0,
  gid: 0,
  md5: String(chunk).padStart(32, '0'),
  chunk,
  offset: 512,
  ...more,
});

export const folder = (path: string, chunk: number): Json => {
  const { size: _size, md5: _md5, offset: _offset, ...rest } = entry(path, chunk);
  return { ...rest, type: 'directory', mode: '0755' };
};

/** The skippable frame of a table of contents. */
export function tocBytes(chunk: number, files: readonly Json[], more: Json = {}): Buffer {
  const head = JSON.stringify({
    format: 1,
    uploadId: UPLOAD_ID,
    chunk: { chunk, shard: 0, rawSize: 5000, level: 3, frames: [FRAME], ...more },
  });
  const lines = files.map((file) => JSON.stringify(file)).join(',\n');
  return encodeTable(loadCodec(), Buffer.from(`${head.slice(0, -1)},"files":[\n${lines}\n]}\n`));
}

export function madeChunk(chunk: number, files: readonly Json[], part?: PartRecord): FoundChunk {
  const more = part === undefined ? {} : { part: { size: part.stored, ...part } };
  const bytes = tocBytes(chunk, files, more);
  return {
    key: `shard-00/chunk-${String(chunk).padStart(6, '0')}.tar.zst`,
    size: FRAME.size + bytes.length,
    storageClass: 'STANDARD',
    table: readChunkTable(loadCodec(), bytes, asUploadId(UPLOAD_ID)),
  };
}
