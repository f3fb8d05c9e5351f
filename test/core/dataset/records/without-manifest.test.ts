import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listUploads, findMissingManifests } from '../../../../src/core/dataset/records/find-places.js';
import { encodeFence } from '../../../../src/core/format/manifest/fence.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { tempFolder } from '../../../support/temp-folder.js';

const idOf = (upload: number): string => `20260304-050607-${String(upload).padStart(8, '0')}`;

interface Made {
  readonly uploads: number;
  readonly chunksOf: (upload: number) => number;
}

async function asked({ uploads, chunksOf }: Made): Promise<object> {
  const folder = await tempFolder();
  const put = (key: string, content: string | Buffer = ''): void => {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), content);
  };
  for (let upload = 0; upload < uploads; upload++) {
    const base = `uploads/${idOf(upload)}`;
    if (upload === 3) put(`${base}/manifest.json.gz`, encodeFence(asUploadId(idOf(upload)), new Date()));
    else if (upload % 7 !== 0) put(`${base}/manifest.json.gz`);
    for (let chunk = 0; chunk < chunksOf(upload); chunk++) put(`${base}/shard-00/chunk-${10_000 + chunk}.tar.zst`);
  }
  const opened = await openStore(`file://${folder}`, { env: {} });
  try {
    const { without: found, fenced } = await findMissingManifests(opened.store, await listUploads(opened.store));
    const expected = Array.from({ length: Math.ceil(uploads / 7) }, (_, number) => idOf(number * 7));
    expect([...found].toSorted()).toEqual(expected);
    expect([...fenced].toSorted()).toEqual(uploads > 3 ? [idOf(3)] : []);
    return opened.requests;
  } finally {
    opened.close();
  }
}

test('a listing tells which uploads have a manifest, as far as a page tells of many', async () => {
  // One page of folders, and two of objects.
  expect(await asked({ uploads: 450, chunksOf: () => 2 })).toMatchObject({ list: 3, head: 0 });
  // One is longer than a page, and is gone past.
  expect(await asked({ uploads: 40, chunksOf: (upload) => (upload === 1 ? 2100 : 1) })).toMatchObject({
    list: 3,
    head: 0,
  });
});

test('where uploads have many objects, and where there are few uploads, each is asked for', async () => {
  expect(await asked({ uploads: 5, chunksOf: () => 1 })).toMatchObject({ list: 1, head: 5 });
  expect(await asked({ uploads: 20, chunksOf: () => 120 })).toMatchObject({ list: 2, head: 11 });
});
