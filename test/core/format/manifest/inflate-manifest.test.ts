import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inflatedBeginnings } from '../../../../src/core/format/manifest/inflate-manifest.js';
import { loadAlone } from '../../../../src/core/format/manifest/loaded-manifest.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { type Json, makeArchive } from '../../../support/make-archive.js';

const KIB = 1024;
const textsOf = (bytes: Buffer): string[] => Array.from(inflatedBeginnings(bytes), (text) => text.toString('latin1'));

describe('beginnings of a gzipped manifest', () => {
  test('of a short one are all of it, also where it has several members', () => {
    expect(textsOf(Buffer.concat([gzipSync('{"a":1,'), gzipSync('"b":2}')]))).toEqual(['{"a":1,"b":2}']);
  });

  test('of a long one get longer', () => {
    const text = randomBytes(150 * KIB).toString('hex');
    const [first = '', second = '', ...more] = textsOf(gzipSync(text));

    expect([text.startsWith(second), second.startsWith(first), more]).toEqual([true, true, []]);
    expect([first.length, second.length].map((length) => length > 4 * KIB)).toEqual([true, true]);
    expect(second.length).toBeGreaterThan(4 * first.length);
  });

  test('are none where it is damaged, or would be large', () => {
    const damaged = gzipSync('{"a":1}'.repeat(1000));
    damaged[20] = (damaged[20] ?? 0) ^ 0xff;

    expect(textsOf(damaged)).toEqual([]);
    expect(textsOf(gzipSync(Buffer.alloc(64 * 1024 * KIB)))).toEqual([]);
  });
});

test.each([1, 5000])('a head with %i chunks is read', async (count) => {
  const { uploadId, manifest } = makeArchive({ files: [{ path: 'a', content: 'a' }] });
  const digest = (at: number): string => createHash('sha256').update(`${at}`).digest('hex');
  const [chunk = {}] = manifest.chunks;
  const chunks: Json[] = Array.from({ length: count }, (_, at) => ({ ...chunk, sha256: digest(at) }));
  const { files: _files, chunks: _chunks, ...head } = manifest;
  const text = `${JSON.stringify(head).slice(0, -1)},"chunks":${JSON.stringify(chunks)},"files":[\n]}\n`;
  const bytes = gzipSync(text);

  const loaded = await loadAlone(asUploadId(uploadId), { bytes }, '');
  expect(loaded.head.chunks).toHaveLength(count);
  expect(bytes.length > 64 * KIB).toBe(count > 1);
});
