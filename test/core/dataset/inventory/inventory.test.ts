import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  Inventories,
  type Inventory,
  type ReadInventoryOptions,
} from '../../../../src/core/dataset/inventory/inventory.js';
import type { ObjectReader } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { recordBytes } from '../../../support/make-dataset.js';
import { type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { manifestKeyOf, recordKeyOf, storedUploads, uploadIdOf } from '../../../support/stored-uploads.js';
import { tempFolder } from '../../../support/temp-folder.js';

let server: MemoryS3;
let folder = '';

beforeAll(async () => {
  useTestCredentials();
  server = await startMemoryS3('bucket');
});
afterAll(() => server.close());
beforeEach(async () => {
  server.buckets.set('bucket', new Map());
  folder = join(await tempFolder(), 'cache');
});

/** Puts objects, a second one after the other. */
function put(objects: ReadonlyMap<string, Buffer>): void {
  let second = 0;
  for (const [key, body] of objects) {
    const modified = new Date(Date.UTC(2026, 5, 1) + 1000 * second++);
    const etag = createHash('md5').update(body).digest('hex');
    server.buckets.get('bucket')?.set(`lab/${key}`, { body, etag, modified, headers: {} });
  }
}

const reader = async (): Promise<ObjectReader> =>
  (await openTestS3(server.endpoint, 'bucket', { prefix: 'lab' })).store;

const inventories = async (on?: ObjectReader): Promise<Inventories> =>
  new Inventories(on ?? (await reader()), { folder });

const look = (looks: Inventories, options: Partial<ReadInventoryOptions> = {}): Promise<Inventory> =>
  looks.look({ signal: new AbortController().signal, ...options });

/** Requests of `work`, by their operations. */
async function asked(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = server.requests.length;
  await work();
  const counts: Record<string, number> = {};
  for (const { operation } of server.requests.slice(before)) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

test('uploads come newest first, with what records and fronts of manifests say', async () => {
  put(storedUploads(6));

  const { uploads, unread, unreadable } = await look(await inventories());

  expect([unread, unreadable]).toEqual([0, 0]);
  expect(uploads.map(({ record }) => record?.uploadId)).toEqual([5, 4, 3, 2, 1, 0].map(uploadIdOf));
  expect(uploads[0]).toMatchObject({
    datasetId: 'data-00000001',
    version: 2,
    createdAt: '2026-01-01T00:05:00.000Z',
    record: {
      files: 15,
      bytes: 4_000_000_005,
      storedBytes: 1_000_000_005,
      source: '/data/run-5',
      host: 'lab',
      isEncrypted: false,
    },
    front: { storageClass: 'GLACIER_IR', shardCount: 2, shards: [{ shard: 0 }], chunks: 1, project: null },
    problem: null,
  });
});

test('a look is one listing and two GETs of what is new, of a manifest its first 4 KiB; another start sends none', async () => {
  put(storedUploads(30));
  const first = await inventories();

  expect(await asked(() => look(first))).toEqual({ ListObjectsV2: 1, GetObject: 60 });
  const ranges = server.requests
    .filter(({ path }) => path.includes('manifest.json.gz'))
    .map(({ headers }) => headers.range);
  expect(new Set(ranges)).toEqual(new Set(['bytes=0-4095']));

  const again = await look(first);
  expect(await look(first)).toBe(again);
  const second = await inventories();
  expect(await asked(() => look(second))).toEqual({ ListObjectsV2: 1 });
  expect(await look(second)).toEqual(again);

  put(storedUploads(31));
  expect(await asked(() => look(second))).toEqual({ ListObjectsV2: 1, GetObject: 2 });
});

test('a version whose record was written again is read again, one that is gone is forgotten, and tags are seen', async () => {
  put(storedUploads(3));
  const looks = await inventories();
  await look(looks);
  const objects = server.buckets.get('bucket');
  const record = objects?.get(`lab/${recordKeyOf(2)}`);
  if (record !== undefined) record.etag = 'another';
  objects?.delete(`lab/${recordKeyOf(1)}`);
  put(new Map([['datasets/data-00000000/tags/v00000001.keep.json', Buffer.from('{}')]]));

  const counts = await asked(async () => {
    const { uploads } = await look(looks);
    expect(uploads.map(({ datasetId, tags }) => [datasetId, tags])).toEqual([
      ['data-00000002', []],
      ['data-00000000', ['keep']],
    ]);
  });
  expect(counts).toEqual({ ListObjectsV2: 1, GetObject: 2 });
});

test('what cannot be read is a row with its reason, and is read again when that is asked for', async () => {
  const made = storedUploads(6);
  const denied = manifestKeyOf(0);
  made.set(manifestKeyOf(1), Buffer.from('garbage'));
  made.set(manifestKeyOf(2), made.get(manifestKeyOf(2))?.subarray(0, 100) ?? Buffer.alloc(0));
  made.delete(manifestKeyOf(3));
  made.set(recordKeyOf(4), Buffer.from('{"half'));
  put(made);
  const store = await reader();
  let isDenied = true;
  const looks = await inventories({
    ...store,
    get: (key, options) =>
      isDenied && key === denied ? Promise.reject(new StoreError('access-denied', 'denied')) : store.get(key, options),
  });

  const { uploads, unreadable } = await look(looks);

  expect(unreadable).toBe(5);
  const seen = Object.fromEntries(
    uploads.map(({ id, record, problem }) => [id.slice(9), [record?.files ?? null, problem?.code ?? null]]),
  );
  expect(seen).toEqual({
    'data-00000000/v00000001.json': [10, 'access-denied'],
    'data-00000001/v00000001.json': [11, 'integrity'],
    'data-00000002/v00000001.json': [12, 'integrity'],
    'data-00000003/v00000001.json': [13, 'not-found'],
    'data-00000000/v00000002.json': [null, 'integrity'],
    'data-00000001/v00000002.json': [15, null],
  });
  isDenied = false;
  expect(await asked(() => look(looks))).toEqual({ ListObjectsV2: 1 });
  expect((await look(looks, { isAsked: true })).unreadable).toBe(4);
  expect(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8')).not.toContain('integrity');
});

test('a store that is away is given up, and what was read is there at the next look', async () => {
  put(storedUploads(100));
  const store = await reader();
  let left = 40;
  const away = (): StoreError => new StoreError('store', 'the store answered 503', { retriable: true });
  const looks = await inventories({
    ...store,
    get: (key, options) => (left-- > 0 ? store.get(key, options) : Promise.reject(away())),
  });

  await expect(look(looks)).rejects.toThrow('the store answered 503');
  expect(left).toBeGreaterThan(-110);
  left = 1000;
  expect((await asked(() => look(looks)))['GetObject']).toBeLessThanOrEqual(190);
  expect((await look(looks)).unreadable).toBe(0);
});

test('rows arrive while the rest is read, and a look that is given up leaves what it read', async () => {
  put(storedUploads(40));
  const store = await reader();
  const ending = new AbortController();
  let count = 0;
  const looks = await inventories({
    ...store,
    get: (key, options) => {
      if (++count === 41) ending.abort();
      return store.get(key, options);
    },
  });
  const parts: Inventory[] = [];

  await expect(look(looks, { signal: ending.signal, onPart: (part) => parts.push(part) })).rejects.toThrow('cancelled');

  expect(parts[0]).toMatchObject({ uploads: [], unread: 40 });
  expect(existsSync(folder)).toBe(true);
  const { uploads } = await look(await inventories(), { onPart: (part) => parts.push(part) });
  expect(uploads).toHaveLength(40);
  expect(parts.at(-1)?.uploads.length).toBeGreaterThan(0);
});

test.each(['', 'garbage', '{"format":1,"type":"archiver-inventory","uploads":[],"sha256":"0"}'])(
  'a cache that is %j counts as none and is written again',
  async (text) => {
    put(storedUploads(3));
    const whole = await look(await inventories());
    const file = join(folder, readdirSync(folder)[0] ?? '');
    writeFileSync(file, text);

    expect(await look(await inventories())).toEqual(whole);
    expect(readFileSync(file, 'utf8')).toContain('archiver-inventory');
  },
);

test('a cache that cannot be written is said', async () => {
  put(storedUploads(3));
  writeFileSync(folder, 'a file in its place');
  const { uploads, note } = await look(await inventories());
  expect(uploads).toHaveLength(3);
  expect(note).toContain('is not kept for the next start');
});

test('caches of sixteen stores are kept, the latest', async () => {
  put(storedUploads(1));
  await mkdir(folder);
  for (let at = 0; at < 20; at++) {
    const old = join(folder, `${String(at).padStart(32, '0')}.inventory.json`);
    writeFileSync(old, '');
    await utimes(old, at, at);
  }
  await look(await inventories());
  const names = readdirSync(folder).toSorted();
  expect(names).toHaveLength(16);
  expect(names[0]).toBe(`${'5'.padStart(32, '0')}.inventory.json`);
});

test('an encrypted manifest is known as one by its record, and is not asked for', async () => {
  const made = storedUploads(1);
  put(made);
  const encrypted = { encryption: { kmsKeyId: 'k', manifest: true }, source: {} };
  const { digest: _digest, ...document } = JSON.parse(String(made.get(recordKeyOf(0)))) as Record<string, unknown>;
  put(new Map([[recordKeyOf(0), recordBytes({ ...document, ...encrypted })]]));

  const looks = await inventories();
  const counts = await asked(async () => {
    const { uploads, unreadable } = await look(looks);
    expect(uploads[0]).toMatchObject({ record: { isEncrypted: true, files: 10, source: null }, front: null });
    expect(unreadable).toBe(0);
  });
  expect(counts).toEqual({ ListObjectsV2: 1, GetObject: 1 });
});
