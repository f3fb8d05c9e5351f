import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CachedHead, openHeadCache } from '../../../../src/core/dataset/cache/head-cache.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const URL = 's3://bucket/lab';
const HEAD: CachedHead = {
  version: 3,
  uploadId: asUploadId('20260304-050607-01020304'),
  manifestSha256: 'a'.repeat(64),
  recordEtag: '"tag"',
  encryption: { kmsKeyId: 'alias/lab', manifest: true },
};

async function heads() {
  const folder = join(await tempFolder(), 'manifest-cache');
  await mkdir(folder);
  const troubles: string[] = [];
  return { folder, troubles, heads: openHeadCache(folder, (text) => troubles.push(text)) };
}

test('gives back what it was told, for each store and dataset', async () => {
  const { heads: it, troubles } = await heads();

  expect(await it.get(URL, 'patients')).toBeUndefined();
  await it.put(URL, 'patients', HEAD);

  expect(await it.get(URL, 'patients')).toEqual(HEAD);
  expect(await it.get('s3://bucket/other', 'patients')).toBeUndefined();
  expect(troubles).toEqual([]);
});

test.each([
  ['damaged', (text: string) => text.replace('"version":3', '"version":4'), 'does not match its checksum'],
  ['torn', (text: string) => text.slice(0, 30), 'is not a JSON document'],
  ['newer', (text: string) => text.replace('"format":1', '"format":2'), 'this archiver reads 1'],
  // As it was before 0.1.0: without a type, and with another name for the checksum.
  ['older', () => '{"format":1,"version":3,"digest":"00"}\n', 'is not a remembered version'],
])('what is %s counts as nothing, is told once, and is replaced', async (_name, bend, words) => {
  const { heads: it, folder, troubles } = await heads();
  await it.put(URL, 'patients', HEAD);
  const [name = ''] = await readdir(folder);
  await writeFile(join(folder, name), bend(await readFile(join(folder, name), 'utf8')));

  expect([await it.get(URL, 'patients'), await it.get(URL, 'patients')]).toEqual([undefined, undefined]);
  expect(troubles).toEqual([expect.stringContaining(words)]);

  await it.put(URL, 'patients', HEAD);
  expect(await it.get(URL, 'patients')).toEqual(HEAD);
});
