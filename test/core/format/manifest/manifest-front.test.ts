import { gzipSync } from 'node:zlib';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { readManifestFront } from '../../../../src/core/format/manifest/manifest-front.js';
import { readManifest } from '../../../../src/core/format/manifest/manifest-reader.js';
import type { GetOptions } from '../../../../src/core/store/object-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { makeArchive, manifestText, UPLOAD_ID } from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';

const KEY = `uploads/${UPLOAD_ID}/manifest.json.gz`;
const { manifest } = makeArchive({ files: [{ path: 'a', content: 'a' }] });

/** A reader of one manifest, and the ends of the ranges that were asked for. */
function holding(bytes: Buffer) {
  const ends: (number | undefined)[] = [];
  const get = (_key: string, { range }: GetOptions, normal: () => never) => {
    ends.push(range !== undefined && 'end' in range ? range.end : undefined);
    return normal();
  };
  return { reader: memoryReader(new Map([[KEY, bytes]]), { get: get as never }), ends };
}

const noise = (length: number): string =>
  Array.from({ length }, (_, at) => ((at * 2654435761) >>> 0).toString(16)).join('');
const read = (bytes: Buffer) => readManifestFront(holding(bytes).reader, UPLOAD_ID);

test('the fronts of all manifests of earlier releases are what their heads say', async () => {
  for (const golden of ['golden-0.1.0', 'golden-0.1.0-direct', 'golden-0.1.0-pruned']) {
    const folder = join('test/fixtures', golden, 'store');
    const uploads = join(folder, 'uploads');
    const ids = readdirSync(uploads).filter((id) => existsSync(join(uploads, id, 'manifest.json.gz')));
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      const store = fileStore(folder, {});
      const uploadId = asUploadId(id);
      const { head } = await readManifest(store, { uploadId, headOnly: true });
      expect(await readManifestFront(store, uploadId)).toEqual({ ...head, chunks: [] });
    }
  }
});

test('one small range tells, however long the rest is', async () => {
  const files = Array.from({ length: 20_000 }, (_, at) => ({ path: `f${at}${noise(2)}`, type: 'file' }));
  const { reader, ends } = holding(gzipSync(manifestText({ ...manifest, files })));

  expect(await readManifestFront(reader, UPLOAD_ID)).toMatchObject({ uploadId: UPLOAD_ID, datasetId: 'made-00000000' });
  expect(ends).toEqual([4096]);
});

test('a front that is longer takes larger ranges', async () => {
  const { reader, ends } = holding(gzipSync(manifestText({ ...manifest, project: noise(10_000) })));

  expect((await readManifestFront(reader, UPLOAD_ID))?.project).toBe(noise(10_000));
  expect(ends).toEqual([4096, 65_536]);
});

test('an upload without chunks has a front', async () => {
  const text = manifestText({ ...manifest, chunks: [] }).replace('"chunks":[\n\n]', '"chunks":[]');
  expect(await read(gzipSync(text))).toMatchObject({ chunks: [], uploadId: UPLOAD_ID });
});

test('one that is encrypted is not opened', async () => {
  expect(await read(Buffer.concat([Buffer.from('ARCHENC1'), Buffer.alloc(100)]))).toBeUndefined();
});

test.each([
  ['half of it', gzipSync(manifestText({ ...manifest, project: noise(10_000) })).subarray(0, 2000), 'cut off'],
  ['no gzip', Buffer.from('damaged'.repeat(1000)), 'is damaged'],
  ['something else', gzipSync('{"files":[\n'), 'is not a manifest of archiver'],
  ['another upload', gzipSync(manifestText({ ...manifest, uploadId: 'x' })), 'another upload'],
])('%s is refused in one sentence', async (_name, bytes, words) => {
  await expect(read(bytes)).rejects.toThrow(words);
});

test('what has no end is not read for ever', async () => {
  await expect(read(gzipSync('a'.repeat(40_000_000), { level: 1 }))).rejects.toThrow('is damaged');
});
