// What a writer concludes when the store refuses to list some folders and not others: a refusal in one place must never
// stand for a look in another.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import { withAbilities } from '../../../../src/core/store/abilities.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { noise } from '../trees.js';
import { uploadFolder, type UploadRun } from '../upload-folder.js';

/** A policy's refusal of a LIST. */
const refusal = (): StoreError => new StoreError('access-denied', 's3:ListBucket is not allowed', { isRefused: true });

/** Refuses the LISTs of `isRefused`, as a policy does. */
const refusing = (store: ObjectStore, isRefused: (prefix: string) => boolean): ObjectStore => ({
  ...store,
  list: async function* (options) {
    if (isRefused(options?.prefix ?? '')) throw refusal();
    yield* store.list(options);
  },
});

const HOUR_MS = 3_600_000;
const isRecord = (key: string): boolean => key.startsWith('datasets/');
const isChunk = (key: string): boolean => key.includes('/chunk-');

describe('a sync that refers to chunks of the version before', () => {
  let source: string;
  let base: string;
  let earlier: string;
  let nextId = 0;

  const sync = (wrap: (store: ObjectStore) => ObjectStore = (store) => store): UploadRun => {
    const randomBytes = (): Buffer => Buffer.from([2, 0, 0, ++nextId]);
    const wrapped = (store: ObjectStore): ObjectStore => withAbilities(wrap(store));
    return uploadFolder(source, base, {
      randomBytes,
      datasetId: 'lab',
      changes: { trackDeletes: true },
      wrap: wrapped,
    });
  };

  const referredTo = async ({ uploadId }: UploadResult): Promise<readonly string[]> =>
    (await openView(fileStore(base), { uploadId })).head.chunks.flatMap(({ key }) =>
      key.startsWith('../') ? [key] : [],
    );

  afterEach(() => void vi.restoreAllMocks());

  beforeEach(async () => {
    const home = await tempFolder();
    [source, base] = [join(home, 'source'), join(home, 'store')];
    mkdirSync(source);
    writeFileSync(join(source, 'kept'), noise(3000));
    const first = await sync().result;
    earlier = `uploads/${first.uploadId}/`;
    chmodSync(join(source, 'kept'), 0o600);
    writeFileSync(join(source, 'new'), noise(2000));
  });

  test('sees after its record that one is gone, though its own folder could not be listed once, and sends it again', async () => {
    let refusals = 0;
    const run = sync((store) => ({
      ...refusing(store, (prefix) => prefix.startsWith('uploads/') && prefix !== earlier && refusals++ === 0),
      put: async (key, body, options) => {
        if (isRecord(key)) rmSync(join(base, earlier, 'shard-00'), { recursive: true, force: true });
        return await store.put(key, body, options);
      },
    }));

    const result = await run.result;

    expect([result.version, await referredTo(result)]).toEqual([3, []]);
    expect(run.events).toContainEqual({
      type: 'note',
      text: expect.stringMatching(/^version 2 of dataset lab is not whole: .* was removed/),
    });
    expect(refusals).toBeGreaterThan(0);
  });

  test('counts its own chunks, though the earlier folder may not be listed', async () => {
    const run = sync((store) => ({
      ...refusing(store, (prefix) => prefix === earlier),
      put: async (key, body, options) => (isChunk(key) ? { etag: 'said' } : await store.put(key, body, options)),
    }));

    await expect(run.result).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('not there'),
    });
  });

  test.each([
    ['no upload folder', (prefix: string) => prefix.startsWith('uploads/')],
    ['not the earlier folder', (prefix: string) => prefix === earlier],
  ])('refers to nothing that it may not look at: it may list datasets/ and %s', async (_what, isRefused) => {
    const run = sync((store) => refusing(store, isRefused));

    const result = await run.result;

    expect(await referredTo(result)).toEqual([]);
    expect(result).toMatchObject({ version: 2, changes: { added: 1, modified: 1 } });
    expect(run.events).toContainEqual({ type: 'note', text: expect.stringContaining('a full version of its own') });
  });

  test('is not called whole when what it refers to may not be looked at again after its record', async () => {
    let isPut = false;
    const run = sync((store) => ({
      ...refusing(store, (prefix) => isPut && prefix === earlier),
      put: async (key, body, options) => {
        isPut ||= isRecord(key);
        return await store.put(key, body, options);
      },
    }));

    await expect(run.result).rejects.toMatchObject({ code: 'integrity', message: expect.stringContaining('list') });
  });

  test('is not called whole when a computer slept during the commit and may not list its own folder', async () => {
    const run = sync((store) => ({
      ...refusing(store, () => true),
      put: async (key, body, options) => {
        const done = await store.put(key, body, options);
        const now = Date.now();
        if (isRecord(key)) vi.spyOn(Date, 'now').mockReturnValue(now + 2 * HOUR_MS);
        return done;
      },
    }));

    await expect(run.result).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('version 2 of dataset lab was written, but may not be whole'),
    });
  });
});
