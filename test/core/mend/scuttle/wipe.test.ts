import { existsSync, readdirSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { beginMultipart } from '../../../support/begin-multipart.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { fill, FOREIGN, ID, keysOf, OTHER_ID, OURS, scuttle, versionsOf } from './wipe-cases.js';

const s3 = useBrokenS3();
let store: WholeStore;

beforeEach(async () => {
  s3.server.locked.clear();
  ({ store } = await s3.open());
});

describe('a bucket that keeps no versions', () => {
  test('is freed of what is ours and of nothing else', async () => {
    await fill(store);

    const result = await scuttle(store);

    expect(await keysOf(store)).toEqual(FOREIGN);
    expect(result).toMatchObject({
      deletedObjects: OURS.length,
      deletedVersions: 0,
      deletedBytes: OURS.length * 10,
      failed: [],
      kept: 0,
      found: { objects: OURS.length, olderVersions: 0, uploads: 2, datasets: 2, leftAlone: FOREIGN.length },
    });
    expect(result.found.leftAloneSamples).toEqual(FOREIGN);
  });

  test('a prefix does not reach into another that begins like it', async () => {
    await fill(store);
    const key = `p2/uploads/${ID}/manifest.json.gz`;
    s3.server.buckets.get('bucket')?.set(key, { body: Buffer.from('x'), etag: 'x', modified: new Date(), headers: {} });

    await scuttle(store);

    expect([...(s3.server.buckets.get('bucket')?.keys() ?? [])]).toContain(key);
  });

  test('a base further down is left alone and named', async () => {
    await store.put(`lab/uploads/${ID}/manifest.json.gz`, Buffer.from('x'));

    const { found, deletedObjects } = await scuttle(store);

    expect(found).toMatchObject({ objects: 0, leftAlone: 1, nestedBases: ['lab'] });
    expect(deletedObjects).toBe(0);
  });

  test('goes record, manifest, chunk, and takes what appears meanwhile', async () => {
    await fill(store);
    const gone: string[] = [];
    const watched: WholeStore = {
      ...store,
      deleteVersions: async (versions, signal) => {
        gone.push(...versions.map(({ key }) => key));
        if (gone.length === versions.length)
          await store.put(`uploads/${ID}/shard-00/chunk-000001.tar.zst`, Buffer.from('x'));
        return store.deleteVersions(versions, signal);
      },
    };

    await scuttle(watched);

    const last = (part: string): number => gone.findLastIndex((key) => key.includes(part));
    const first = (part: string): number => gone.findIndex((key) => key.includes(part));
    expect(last('datasets/')).toBeLessThan(first('manifest.json.gz'));
    expect(last('manifest.json.gz')).toBeLessThan(first('chunk-'));
    expect(await keysOf(store)).toEqual(FOREIGN);
  });

  test('says what the store lists under a name that it does not know, and counts it as left', async () => {
    await fill(store);
    const key = `uploads/${ID}/files/a b.txt`;
    const list: WholeStore['list'] = async function* (options) {
      yield* store.list(options);
      yield {
        objects: [{ key, sizeBytes: 3, etag: 'x', storageClass: 'STANDARD', lastModified: new Date() }],
        prefixes: [],
      };
    };
    const listVersions: WholeStore['listVersions'] = () => {
      throw new StoreError('unsupported', 'no versions');
    };

    const result = await scuttle({ ...store, list, listVersions });

    expect(await keysOf(store)).toEqual(FOREIGN);
    expect(result).toMatchObject({
      deletedObjects: OURS.length,
      deletedBytes: OURS.length * 10,
      failed: [{ key, reason: expect.stringContaining('a name that it does not know') as string }],
      failedCount: 1,
    });
  });

  test('aborts unfinished multipart uploads of our keys and of no others', async () => {
    await beginMultipart(s3.server.endpoint, store.url, `uploads/${ID}/shard-00/chunk-000009.tar.zst`);
    await beginMultipart(s3.server.endpoint, store.url, 'movie.mkv');

    const { abortedMultiparts, found } = await scuttle(store);

    const left: string[] = [];
    for await (const { key } of store.listMultipart('')) left.push(key);
    expect({ abortedMultiparts, unfinished: found.unfinishedMultiparts, left }).toEqual({
      abortedMultiparts: 1,
      unfinished: 1,
      left: ['movie.mkv'],
    });
  });

  test('needs no right to delete versions', async () => {
    await fill(store);
    const deny: WholeStore['deleteVersions'] = (versions) =>
      Promise.resolve(versions.map(({ key, versionId }) => ({ key, versionId, reason: 'access denied' })));

    const result = await scuttle({ ...store, deleteVersions: deny });

    expect(await keysOf(store)).toEqual(FOREIGN);
    expect(result).toMatchObject({ deletedObjects: OURS.length, failed: [] });
  });
});

describe('a folder', () => {
  test('loses the temp files of writers as well, whether they were killed or are at work: it spares nobody', async () => {
    const folder = await tempFolder();
    const files = fileStore(folder);
    const temp = '.archiver~tmp-0123456789abcdef';
    const upload = join(folder, 'uploads', ID);
    const old = [join(upload, temp), join(folder, 'datasets/d-1', temp), join(folder, temp)];
    const lock = join(upload, `.archiver~lock-0123456789abcdef/${temp}`);
    for (const path of [...old, lock]) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'half');
      await utimes(path, 1e9, 1e9);
    }
    const dead = await scuttle(files);
    await mkdir(upload, { recursive: true });
    await writeFile(join(upload, temp), 'half');
    const alive = await scuttle(files);

    expect(dead).toMatchObject({ abortedMultiparts: 4, failedCount: 0 });
    expect(dead.found).toMatchObject({ unfinishedMultiparts: 4, unfinishedBytes: 16 });
    expect(alive).toMatchObject({ abortedMultiparts: 1, failed: [] });
    expect(readdirSync(folder, { recursive: true })).toHaveLength(0);
  });
});

describe('a bucket that keeps versions', () => {
  beforeEach(async () => {
    s3.server.keepVersions('bucket');
    await fill(store);
    await fill(store);
    await store.delete([`uploads/${ID}/manifest.json.gz`, 'notes.txt']);
  });

  test('loses every version and delete marker of ours, and none of others', async () => {
    const result = await scuttle(store);

    const left = await versionsOf(store);
    expect(left.filter(({ key }) => OURS.includes(key))).toEqual([]);
    expect(left).toHaveLength(2 * FOREIGN.length + 1);
    expect(result).toMatchObject({
      deletedObjects: OURS.length - 1,
      deletedVersions: OURS.length + 2,
      deletedBytes: OURS.length * 20,
      failed: [],
      found: { objects: OURS.length - 1, olderVersions: OURS.length + 2, leftAlone: FOREIGN.length - 1 },
    });
  });

  test('a second run finds nothing', async () => {
    await scuttle(store);

    expect(await scuttle(store)).toMatchObject({ deletedObjects: 0, deletedVersions: 0, failed: [], kept: 0 });
  });

  test('keeps manifests and chunks of a base whose record is locked, and says so', async () => {
    s3.server.locked.add('p/datasets/d-1/v00000001.json');

    const result = await scuttle(store);

    const left = new Set(await keysOf(store));
    expect(left).toContain(`uploads/${ID}/manifest.json.gz.pre-compact.bak`);
    expect(left).toContain(`uploads/${ID}/shard-00/chunk-000000.tar.zst`);
    expect(left).not.toContain(`writers/nas-01/uploads/${OTHER_ID}/shard-01/chunk-000000.tar.zst`);
    expect(result.failed).toMatchObject([
      { key: 'datasets/d-1/v00000001.json', reason: expect.stringContaining('object lock') as string },
      { key: 'datasets/d-1/v00000001.json', reason: expect.stringContaining('older version') as string },
    ]);
    // The manifest (two versions and a marker), its backup, the direct file and the chunk, with two versions each.
    expect(result).toMatchObject({ failedCount: 2, kept: 9 });
  });

  test('does not uncover an older version that cannot be deleted', async () => {
    s3.server.locked.add(`p/uploads/${ID}/manifest.json.gz`);

    await scuttle(store);

    expect(await store.head(`uploads/${ID}/manifest.json.gz`)).toBeUndefined();
    expect(new Set(await keysOf(store))).toContain(`uploads/${ID}/shard-00/chunk-000000.tar.zst`);
  });

  test('a chunk that cannot be deleted is named, and the rest goes', async () => {
    const chunk = `uploads/${ID}/shard-00/chunk-000000.tar.zst`;
    s3.server.locked.add(`p/${chunk}`);

    const result = await scuttle(store);

    const ours = (await keysOf(store)).filter((key) => OURS.includes(key));
    expect(new Set(ours)).toEqual(new Set([chunk]));
    expect(result.failed.map(({ key }) => key)).toEqual([chunk, chunk]);
    expect(result.kept).toBe(0);
  });

  test('goes on over more than a page of versions', async () => {
    const keys = Array.from({ length: 10 }, (_, chunk) => `uploads/${ID}/shard-00/chunk-00001${chunk}.tar.zst`);
    for (let written = 0; written < 101; written += 1)
      await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'))));

    await scuttle(store);

    expect((await keysOf(store)).filter((key) => key.startsWith(`uploads/${ID}`))).toEqual([]);
  });

  test('whoever may not see versions deletes the objects and learns that versions may remain', async () => {
    s3.proxy.inject({ operation: 'ListObjectVersions', fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const { openHoldings } = await import('../../../../src/core/mend/scuttle/holdings.js');

    const result = await scuttle(store);

    expect(result).toMatchObject({ deletedObjects: OURS.length - 1, deletedVersions: 0, failed: [] });
    expect((await openHoldings(store, new AbortController().signal)).versionsHidden).toBe(true);
    s3.proxy.clear();
    expect((await versionsOf(store)).some(({ key }) => OURS.includes(key))).toBe(true);
    const shown: string[] = [];
    for await (const { objects } of store.list()) shown.push(...objects.map(({ key }) => key));
    expect(shown.filter((key) => OURS.includes(key))).toEqual([]);
  });
});

test('a denied listing of a missing bucket is a failure and no empty result', async () => {
  const { store: missing } = await s3.open({});
  s3.server.buckets.delete('bucket');

  await expect(scuttle(missing)).rejects.toMatchObject({ code: 'not-found' });
});

test('a folder is freed together with the folders that become empty', async () => {
  const folder = await tempFolder();
  const local = fileStore(folder);
  await fill(local);

  const result = await scuttle(local);

  expect(result).toMatchObject({ deletedObjects: OURS.length, abortedMultiparts: 0, failed: [] });
  expect(await keysOf(local)).toEqual(FOREIGN);
  expect(readdirSync(folder).sort()).toEqual(['datasets', 'notes.txt', 'uploads', 'writers']);
  expect(existsSync(join(folder, 'uploads', ID))).toBe(false);
  await local.delete(FOREIGN);
  expect(readdirSync(folder)).toEqual([]);
});
