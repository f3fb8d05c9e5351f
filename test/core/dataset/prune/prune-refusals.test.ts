// What stops a prune before it changes anything, and what may fail on the way.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import type { Json } from '../../../support/make-archive.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, allKeys, DATASET, recordBytes, recordKey, writeObjects } from '../../../support/make-dataset.js';
import { copyOf, datasetFolder, onMutation, pruneFolder } from './prune-run.js';

let folder = '';

beforeEach(async () => {
  folder = await datasetFolder();
});

async function documentOf(version: number): Promise<Json> {
  const { digest: _digest, ...document } = JSON.parse(await readFile(join(folder, recordKey(version)), 'utf8')) as Json;
  return document;
}

async function bendRecord(version: number, change: (document: Json) => void): Promise<void> {
  const document = await documentOf(version);
  change(document);
  await writeFile(join(folder, recordKey(version)), recordBytes(document));
}

/** Bends the manifest of version 4; its record and the manifest above name it as it is then. */
async function bendRewritten(change: (text: string) => string): Promise<void> {
  const bytes = gzipSync(change(gunzipSync(await readFile(join(folder, linkKey(3)))).toString()));
  await put(linkKey(3), bytes);
  await bendRecord(4, (document) => (document['manifestSha256'] = sha256(bytes)));
  const newest = gunzipSync(await readFile(join(folder, linkKey(4)))).toString();
  const next = gzipSync(newest.replace(/"sha256":"[0-9a-f]{64}"/, `"sha256":"${sha256(bytes)}"`));
  await put(linkKey(4), next);
  await bendRecord(5, (document) => (document['manifestSha256'] = sha256(next)));
}

const put = (key: string, content: Buffer | string): Promise<void> =>
  writeObjects(folder, new Map([[key, Buffer.from(content)]]));

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Digests of everything in the folder. */
async function state(): Promise<string[]> {
  const keys = await allKeys(fileStore(folder));
  const digest = async (key: string): Promise<string> =>
    `${key} ${createHash('md5')
      .update(await readFile(join(folder, key)))
      .digest('hex')}`;
  return await Promise.all(keys.map(digest));
}

/** The request that changes something and would be made is an error. */
const untouched = (store: WholeStore): WholeStore =>
  onMutation(store, (_call, what) => {
    throw new Error(`it should not ${what}`);
  });

describe('nothing is changed when', () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['there is no such dataset', () => Promise.resolve(), /no dataset nowhere-1 found/],
    [
      'a manifest that stays is damaged',
      () => put(linkKey(4), 'damaged'),
      /nothing was pruned: version 5 of dataset made-00000000 cannot be read: .*manifest/,
    ],
    [
      'a manifest that stays is missing',
      () => fileStore(folder).delete([linkKey(4)]),
      /nothing was pruned: version 5 .* cannot be read/,
    ],
    [
      'a manifest that a kept one builds on is missing',
      () => fileStore(folder).delete([linkKey(1)]),
      /nothing was pruned: .*builds on another/,
    ],
    [
      'a manifest is not the one that its record names',
      () => bendRecord(5, (document) => (document['manifestSha256'] = 'ab'.repeat(32))),
      /nothing was pruned: version 5 .* is not the one that was recorded/,
    ],
    [
      'a record is damaged',
      async () => put(recordKey(2), (await readFile(join(folder, recordKey(2)), 'utf8')).replace('"test"', '"tset"')),
      /nothing was pruned: .*v00000002.json is damaged/,
    ],
    [
      'a record of another dataset has a newer format',
      () => put(recordKey(1, 'other-1'), recordBytes({ format: 2, type: 'archiver-version' })),
      /nothing was pruned: .*other-1\/v00000001.json has format 2/,
    ],
    [
      'a manifest of another dataset cannot be read',
      async () => {
        const uploadId = '20260101-000000-000000ff';
        const manifestKey = `uploads/${uploadId}/manifest.json.gz`;
        const other = { ...(await documentOf(1)), datasetId: 'other-1', uploadId, manifestKey };
        await put(recordKey(1, 'other-1'), recordBytes(other));
      },
      /nothing was pruned: version 1 of dataset other-1 cannot be read/,
    ],
    [
      'a manifest that stays is encrypted, and there is no key for it',
      () => put(linkKey(4), Buffer.concat([Buffer.from('ARCHENC1'), Buffer.alloc(100)])),
      /nothing was pruned: version 5 .* cannot be read: /,
    ],
    [
      'a kept version that has to be rewritten has a file that lies in no chunk',
      async () => {
        const inside = /("path":"c.txt\/inside".*?),"chunk":\d+,"offset":\d+/;
        await bendRewritten((text) => text.replace(inside, '$1,"object":"files/x"'));
      },
      /nothing was pruned: .*does not say in which 'chunk'/,
    ],
    [
      'a kept version that has to be rewritten has wrong totals',
      () => bendRewritten((text) => text.replace(/("view":\{[^}]*"bytes":)/, '$19')),
      /nothing was pruned: .*states a view of 9\d+ bytes, but the view has \d+: its totals are wrong/,
    ],
    [
      'a chunk that a kept version needs is missing',
      () => fileStore(folder).delete([`uploads/${linkId(0)}/shard-01/chunk-000001.tar.zst`]),
      /nothing was pruned: uploads\/.*chunk-000001.tar.zst is missing, and version 4 .* needs it/,
    ],
    [
      'a chunk that a kept version needs has another size',
      () => put(`uploads/${linkId(4)}/shard-00/chunk-000000.tar.zst`, 'short'),
      /has 5 bytes instead of \d+, and version 5 .* needs it/,
    ],
  ])('%s', async (what, prepare, message) => {
    await prepare();
    const before = await state();

    const datasetId = what === 'there is no such dataset' ? 'nowhere-1' : DATASET;
    await expect(pruneFolder(folder, { datasetId, wrap: untouched })).rejects.toThrow(message);

    expect(await state()).toEqual(before);
  });

  test('the store fails: what failed is said, and not that a manifest is damaged', async () => {
    const failing = (store: WholeStore): WholeStore => ({
      ...untouched(store),
      get: (key, options) =>
        key === linkKey(4) ? Promise.reject(new ArchiverError('stalled', 'no answer')) : store.get(key, options),
    });

    await expect(pruneFolder(folder, { wrap: failing })).rejects.toMatchObject({
      code: 'stalled',
      message: 'no answer',
    });
  });

  test('a list fails: it is never taken for an empty one', async () => {
    for (const prefix of ['datasets/', 'uploads/']) {
      const wrap = (store: WholeStore): WholeStore => ({
        ...untouched(store),
        list: (options) => {
          if (options?.prefix === prefix) throw new Error('no list');
          return store.list(options);
        },
      });
      await expect(pruneFolder(folder, { wrap })).rejects.toThrow('no list');
    }
  });
});

describe('what cannot be deleted', () => {
  const refusing = (pattern: RegExp) => (store: WholeStore) => ({
    ...store,
    delete: async (keys: readonly string[], signal?: AbortSignal) => [
      ...(await store.delete(
        keys.filter((key) => !pattern.test(key)),
        signal,
      )),
      ...keys.filter((key) => pattern.test(key)).map((key) => ({ key, reason: 'locked' })),
    ],
  });

  test('a chunk: it is named, the others go, and the next prune takes it', async () => {
    const done = await copyOf(folder);
    await pruneFolder(done);

    const { failed, deletedObjects } = await pruneFolder(folder, { wrap: refusing(/chunk-000002/) });

    expect(failed).toEqual([{ key: `uploads/${linkId(0)}/shard-00/chunk-000002.tar.zst`, reason: 'locked' }]);
    expect(deletedObjects).toBe(6);
    await pruneFolder(folder);
    expect(await allKeys(fileStore(folder))).toEqual(await allKeys(fileStore(done)));
  });
});

describe('what earlier work left', () => {
  test('a record with two digests is settled to the one that the manifest has', async () => {
    const before = await allContent(fileStore(folder));
    await bendRecord(5, (document) => (document['replacementSha256'] = 'ab'.repeat(32)));
    await bendRecord(4, (document) => {
      document['replacementSha256'] = document['manifestSha256'];
      document['manifestSha256'] = 'cd'.repeat(32);
    });

    await pruneFolder(folder, { keep: { last: 5 } });

    expect(await allContent(fileStore(folder))).toEqual(before);
    for (const version of [4, 5]) {
      const link = version - 1;
      const record = JSON.parse(await readFile(join(folder, recordKey(version)), 'utf8')) as Json;
      const sha256 = createHash('sha256')
        .update(await readFile(join(folder, linkKey(link))))
        .digest('hex');
      expect([record['manifestSha256'], record['replacementSha256']]).toEqual([sha256, undefined]);
    }
  });

  test('a key that a newer archiver put into a record stays there', async () => {
    await bendRecord(4, (document) => (document['note'] = 'kept'));

    await pruneFolder(folder);

    const record = JSON.parse(await readFile(join(folder, recordKey(4)), 'utf8')) as Json;
    expect(record).toMatchObject({ listing: 'full', note: 'kept' });
  });

  test('what archiver does not write is left alone, and named', async () => {
    await put(`uploads/${linkId(0)}/other/a.txt`, 'foreign');

    const { planned } = await pruneFolder(folder);

    expect(planned.warnings).toEqual([expect.stringMatching(/other\/a\.txt was left alone/)]);
    expect(await allKeys(fileStore(folder))).toContain(`uploads/${linkId(0)}/other/a.txt`);
  });

  test('a manifest with keys that this archiver does not know is compacted all the same', async () => {
    const text = gunzipSync(await readFile(join(folder, linkKey(4)))).toString();
    const bytes = gzipSync(text.replace('"codec"', '"novelty":1,"codec"'));
    await put(linkKey(4), bytes);
    await bendRecord(5, (document) => (document['manifestSha256'] = createHash('sha256').update(bytes).digest('hex')));
    const before = await allContent(fileStore(folder));

    await pruneFolder(folder, { keep: { last: 1 } });

    expect(await allContent(fileStore(folder))).toEqual(new Map([[5, before.get(5)]]));
  });
});
