import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import { readChunkTable } from '../../../../src/core/format/chunk/chunk-table.js';
import { tableBytes } from '../../../../src/core/format/chunk/table-frame.js';
import { entry, folder, tocBytes, UPLOAD_ID } from '../../mend/repair/made-chunks.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const codec = loadCodec();
const files = [entry('a', 7), folder('b', 7), entry('b/c', 7, { linkGroup: 4 })];

test('a table tells of its chunk and its entries', () => {
  const table = readChunkTable(
    codec,
    tocBytes(7, files, { part: { number: 2, of: 3, offset: 5, size: 9, stored: 9 } }),
    asUploadId(UPLOAD_ID),
  );

  expect(table).toMatchObject({ chunk: 7, shard: 0, rawSize: 5000, level: 3, entries: 3, maxLinkGroup: 4 });
  expect(table.part).toEqual({ number: 2, of: 3, offset: 5, stored: 9 });
  expect([...table.lines()].map(({ path }) => path)).toEqual(['a', 'b', 'b/c']);
  expect(table.first?.path).toBe('a');
});

test('a table without entries has none', () => {
  const table = readChunkTable(codec, tocBytes(7, []), asUploadId(UPLOAD_ID));

  expect([table.entries, table.first, [...table.lines()]]).toEqual([0, undefined, []]);
});

test('every damaged byte is one named error', () => {
  const sound = tocBytes(7, files);
  for (let at = 0; at < sound.length; at++) {
    const bent = Buffer.from(sound);
    bent[at] = (bent[at] ?? 0) ^ 0x10;
    expect(() => readChunkTable(codec, bent, asUploadId(UPLOAD_ID))).toThrow(
      expect.objectContaining({ code: 'integrity' }) as Error,
    );
  }
  for (let length = 0; length < sound.length; length++) {
    const cut = sound.subarray(sound.length - length);
    expect(() => readChunkTable(codec, cut, asUploadId(UPLOAD_ID))).toThrow(
      expect.objectContaining({ code: 'integrity' }) as Error,
    );
  }
});

test.each([
  ['of another upload', tocBytes(7, files), '20251114-093012-00000000', 'another upload'],
  ['whose paths are not in order', tocBytes(7, files.toReversed()), UPLOAD_ID, 'order of its paths'],
  ['with a path twice', tocBytes(7, [entry('a', 7), entry('a', 7)]), UPLOAD_ID, 'order of its paths'],
  ['with a line that is no entry', tocBytes(7, [{ type: 'file' }]), UPLOAD_ID, "no 'path'"],
  [
    'with a part beyond the last',
    tocBytes(7, files, { part: { number: 4, of: 3, offset: 0, stored: 0 } }),
    UPLOAD_ID,
    'number',
  ],
  ['with a negative size', tocBytes(7, files, { rawSize: -1 }), UPLOAD_ID, 'rawSize'],
])('a table %s is refused', (_name, bytes, uploadId, words) => {
  expect(() => readChunkTable(codec, bytes, asUploadId(uploadId))).toThrow(words);
});

test('a table of a newer format says so', () => {
  const text = Buffer.from('{"format":2,"uploadId":"x","chunk":{},"files":[\n\n]}\n');
  const frame = Buffer.alloc(codec.compressBound(text.length));
  const size = codec.compressFrame(frame, text, 3);

  expect(() => readChunkTable(codec, wrapped(frame.subarray(0, size)), asUploadId(UPLOAD_ID))).toThrow(
    expect.objectContaining({ code: 'unsupported' }) as Error,
  );
});

test('a bomb is refused before it is unpacked', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);
  const frame = Buffer.alloc(codec.compressBound(zeros.length));
  const size = codec.compressFrame(frame, zeros, 3);

  expect(() => readChunkTable(codec, wrapped(frame.subarray(0, size)), asUploadId(UPLOAD_ID))).toThrow(
    'an implausible size',
  );
});

test('the footer alone tells the length of the table', () => {
  const bytes = tocBytes(7, files);

  expect(tableBytes(bytes.subarray(-32))).toBe(bytes.length);
  expect(() => tableBytes(Buffer.alloc(32))).toThrow('does not end in a table of contents');
});

/** A skippable frame around this payload, by docs/format.md. */
function wrapped(payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50, 0);
  head.writeUInt32LE(payload.length + 32, 4);
  const footer = Buffer.alloc(32);
  footer.writeUInt32LE(payload.length, 0);
  footer.writeUInt32LE(payload.length + 40, 4);
  createHash('sha256').update(payload).digest().copy(footer, 8, 0, 16);
  footer.write('ARCHTOC1', 24, 'latin1');
  return Buffer.concat([head, payload, footer]);
}
