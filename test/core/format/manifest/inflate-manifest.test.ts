import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inflateBytes } from '../../../../src/core/format/manifest/inflate-manifest.js';
import { loadAlone } from '../../../../src/core/format/manifest/loaded-manifest.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { type Json, makeArchive } from '../../../support/make-archive.js';

const KIB = 1024;

async function textsOf(bytes: Buffer): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of inflateBytes(bytes, { what: 'it' })) texts.push(text.toString('latin1'));
  return texts;
}

describe('a gzipped manifest in memory', () => {
  test('is inflated, also where it has several members', async () => {
    expect(await textsOf(Buffer.concat([gzipSync('{"a":1,'), gzipSync('"b":2}')]))).toEqual(['{"a":1,"b":2}']);
  });

  test.each([5, 20, 150, 2000])('of %i KiB comes in pieces that are all of it, small ones first', async (size) => {
    const text = randomBytes(size * KIB).toString('hex');
    const texts = await textsOf(gzipSync(text));

    expect(texts.join('') === text).toBe(true);
    expect(texts[0]?.length).toBeLessThan(20 * KIB);
  });

  test.each([1, 4000])(
    'that is damaged, or expands to too much, is refused as by a stream: %i lines',
    async (lines) => {
      const damaged = gzipSync(Array.from({ length: lines }, (_, at) => `{"a":${at}}`).join('\n'));
      damaged[damaged.length - 6] = (damaged.at(-6) ?? 0) ^ 0xff;

      await expect(textsOf(damaged)).rejects.toThrow('it is damaged');
      await expect(textsOf(damaged.subarray(0, -8))).rejects.toThrow('it is cut off');
      await expect(textsOf(gzipSync(Buffer.alloc(64 * KIB * KIB)))).rejects.toThrow('expands to more than');
    },
  );
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
