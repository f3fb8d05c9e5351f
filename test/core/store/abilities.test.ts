import { describe, expect, it } from 'vitest';
import { ifAllowed, rememberRefusals, StoreRefusals, withAbilities } from '../../../src/core/store/abilities.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { readOnly } from '../../../src/core/store/read-only.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { uploadFolder } from '../archive/upload-folder.js';
import { listAll } from './conformance.js';
import { noise } from '../archive/trees.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const s3 = useBrokenS3();
const refusal = (isRefused = true): StoreError => new StoreError('access-denied', 'no', { isRefused });

/** A store that refuses, and says what it was asked. */
async function refusing(error = refusal(), base?: string) {
  const asked: string[] = [];
  const store = fileStore(base ?? (await tempFolder()));
  const refuse = (what: string): never => {
    asked.push(what);
    throw error;
  };
  const bent: ObjectStore = {
    ...store,
    get: async (key) => refuse(`get ${key}`),
    // eslint-disable-next-line require-yield -- it never comes to a page
    list: async function* ({ prefix = '' } = {}) {
      refuse(`list ${prefix}`);
    },
  };
  return { asked, store: withAbilities(bent) };
}

const listing = (store: ObjectStore, prefix: string): Promise<unknown> =>
  ifAllowed(store, 'list', prefix, async () => {
    for await (const page of store.list({ prefix })) return page;
    return 'nothing';
  });

describe('what a store has refused', () => {
  it('is not asked for again in the same place, and elsewhere it is', async () => {
    const { asked, store } = await refusing();

    const first = await listing(store, 'uploads/a/');
    for (const prefix of ['uploads/b/', 'datasets/', 'datasets/x/', 'datasets/x/v1', 'datasets/y/', 'uploads/'])
      expect(await listing(store, prefix)).toBeUndefined();

    expect(first).toBeUndefined();
    expect(asked).toEqual([
      'list uploads/a/',
      'list uploads/b/',
      'list datasets/',
      'list datasets/x/',
      'list datasets/y/',
      'list uploads/',
    ]);
  });

  it('holds for the objects of a folder, not for those below or beside it', async () => {
    const { asked, store } = await refusing();
    const keys = ['uploads/a/shard-00/c0', 'uploads/a/shard-00/c1', 'uploads/a/manifest', 'uploads/b/manifest'];

    for (const key of keys) await ifAllowed(store, 'read', key, () => store.get(key));

    expect(asked).toEqual([0, 2, 3].map((at) => `get ${keys[at]}`));
  });

  it('is learnt of requests that nobody can do without, too, and keeps none of them back', async () => {
    const { asked, store } = await refusing();

    await expect(store.get('datasets/x/v1')).rejects.toThrow('no');
    await expect(store.get('datasets/x/v2')).rejects.toThrow('no');

    expect([store.abilities?.may('read', 'datasets/x/v3'), store.abilities?.may('list', 'datasets/x/')]).toEqual([
      false,
      true,
    ]);
    expect(asked).toHaveLength(2);
  });

  it('is not remembered where it was no verdict of a policy, such as expired credentials', async () => {
    const { asked, store } = await refusing(refusal(false));

    await listing(store, 'uploads/a/');
    await listing(store, 'uploads/a/');

    expect(asked).toHaveLength(2);
  });

  it('is what was refused, and no other failure', async () => {
    const { store } = await refusing(new StoreError('store', 'out of order'));

    await expect(listing(store, 'uploads/a/')).rejects.toThrow('out of order');
    expect(store.abilities?.may('list', 'uploads/a/')).toBe(true);
  });

  it('is known to those who only get the reading half', async () => {
    const { store } = await refusing();
    await listing(store, 'datasets/x/');

    expect(readOnly(store).abilities?.may('list', 'datasets/x/')).toBe(false);
  });

  it.each([
    { left: ['uploads/a/1', 'uploads/a/2'], may: false },
    { left: ['uploads/a/1'], may: true },
  ])('may be the deleting of all objects of a request, not of some ($may)', async ({ left, may }) => {
    const plain = fileStore(await tempFolder());
    const failures = left.map((key) => ({ key, reason: 'access denied', isRefused: true }));
    const refusals = new StoreRefusals();
    const deleter = rememberRefusals({ ...plain, delete: async () => failures }, refusals);

    await deleter.delete(['uploads/a/1', 'uploads/a/2']);

    expect(withAbilities(plain, refusals).abilities?.may('delete', 'uploads/a/3')).toBe(may);
  });
});

it('of S3 a 403 to a request is remembered, and what it allows goes on', async () => {
  const { store } = await s3.open();
  await store.put('datasets/x/v1', Buffer.from('1'));
  s3.proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 403 }, times: 1 });

  await expect(listAll(store)).rejects.toMatchObject({ code: 'access-denied', isRefused: true });

  expect(store.abilities?.may('list', '')).toBe(false);
  expect((await listAll(store)).keys).toEqual(['datasets/x/v1']);
  expect((await store.get('datasets/x/v1')).totalBytes).toBe(1);
});

it('a writer that may only write asks for each kind of look once', async () => {
  const above = await tempFolder();
  const [source, base] = [join(above, 'source'), join(above, 'store')];
  mkdirSync(source);
  writeFileSync(join(source, 'a'), noise(3000));
  const { asked, store } = await refusing(refusal(), base);

  const { calls, result } = uploadFolder(source, base, { wrap: () => store, datasetId: 'lab' });
  const { version } = await result;

  expect(version).toBe(1);
  expect(asked).toEqual(['list datasets/lab/', expect.stringMatching(/^list uploads\//)]);
  expect(calls.filter((call) => call.startsWith('put '))).toHaveLength(3);
});
