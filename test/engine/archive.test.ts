import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archive, type ArchiveOptions, datasets, sync, versions } from '../../src/engine/index.js';
import { engineStore, eventLog } from '../support/engine-store.js';

/** Names of what the store has. */
function storedIn(folder: string): readonly string[] {
  if (!existsSync(join(folder, 'store'))) return [];
  const entries = readdirSync(join(folder, 'store'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('archive', () => {
  test('makes a version that is complete in itself, and the next time the next one', async () => {
    const { source, store } = await engineStore();
    const { onEvent, types } = eventLog();

    const first = await archive(store, source, { tags: { run: '1' }, onEvent });
    const second = await archive(store, source, { exclude: ['*.csv'] });

    expect(first).toEqual({
      uploadId: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{8}$/),
      location: `${store.url}/uploads/${first.uploadId}`,
      datasetId: expect.stringMatching(/^photos-/),
      version: 1,
      files: 3,
      bytes: 14,
      storedBytes: expect.any(Number),
      chunks: 1,
      skipped: [],
      partial: false,
      durationMs: expect.any(Number),
      warnings: [],
    });
    expect(second).toMatchObject({ datasetId: first.datasetId, version: 2, files: 2 });
    expect(types().slice(0, 2)).toEqual(['start', 'phase']);
    expect(types()).toEqual(expect.arrayContaining(['plan', 'progress', 'chunk', 'sent', 'step']));
    expect(types()).not.toContain('end');
  });

  test('says what it would do, and writes nothing', async () => {
    const { folder, source, store } = await engineStore();

    expect(await archive(store, source, { dryRun: true })).toMatchObject({ version: null, files: 3, storedBytes: 0 });

    expect(storedIn(folder)).toEqual([]);
  });

  test.each<[string, string, ArchiveOptions, string]>([
    ['a relative path', 'photos', {}, 'usage'],
    ['what is not there', '/not/there', {}, 'not-found'],
    ['a level that zstd has not', '', { compressionLevel: 0 }, 'usage'],
    ['too little memory', '', { memoryLimit: 1 }, 'usage'],
    ['a manifest that no key encrypts', '', { encryptManifest: true }, 'usage'],
    ['what a folder cannot do', '', { storageClass: 'GLACIER' }, 'unsupported'],
    ['a pattern that is none', '', { datasetId: '../x' }, 'usage'],
  ])('refuses %s', async (_what, path, options, code) => {
    const { source, store } = await engineStore();

    await expect(archive(store, path || source, options)).rejects.toMatchObject({ name: 'ArchiverError', code });

    expect((await datasets(store)).datasets).toEqual([]);
  });
});

describe('archive that is ended', () => {
  test('before it began asks the store nothing', async () => {
    const { source, store } = await engineStore();

    await expect(archive(store, source, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });

    expect(Object.values(store.requests)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test.each(['plan', 'chunk', 'sent'])(
    'at its first event of type %s leaves no version, and takes back what it sent',
    async (at) => {
      const { folder, source, store } = await engineStore();
      const ending = new AbortController();

      const archiving = archive(store, source, {
        signal: ending.signal,
        onEvent: ({ type }) => type === at && ending.abort(),
      });

      await expect(archiving).rejects.toMatchObject({ code: 'cancelled' });
      expect((await datasets(store)).datasets).toEqual([]);
      expect(storedIn(folder)).toEqual([]);
      expect((await archive(store, source)).version).toBe(1);
    },
  );

  test('by an exception of onEvent throws that', async () => {
    const { source, store } = await engineStore();
    const mistake = new TypeError('x is undefined');
    let calls = 0;

    const archiving = archive(store, source, {
      onEvent() {
        calls++;
        throw mistake;
      },
    });

    await expect(archiving).rejects.toBe(mistake);
    expect(calls).toBe(1);
    expect((await datasets(store)).datasets).toEqual([]);
  });
});

describe('sync', () => {
  test('makes a version of what changed, and none where nothing did', async () => {
    const { source, store, write } = await engineStore();

    const first = await sync(store, source);
    const same = await sync(store, source);
    write('a.txt', 'alpha two', 1_700_000_100);
    rmSync(join(source, 'b.csv'));
    const kept = await sync(store, source);
    const tracked = await sync(store, source, { trackDeletes: true });

    const none = { noChanges: false, added: 0, modified: 0, deleted: 0, unchanged: 0, gone: 0 };
    expect([first.version, first.changes]).toEqual([1, { ...none, added: 3 }]);
    expect([same.version, same.changes]).toEqual([1, { ...none, noChanges: true, unchanged: 3 }]);
    expect([kept.version, kept.changes]).toEqual([2, { ...none, modified: 1, unchanged: 1, gone: 1 }]);
    expect([tracked.version, tracked.changes]).toMatchObject([3, { deleted: 1 }]);
    const { versions: made } = await versions(store);
    expect(made).toMatchObject([{ files: 2 }, { files: 3 }, { files: 3, listing: 'full' }]);
  });

  test('refuses an emptied folder, unless that is meant', async () => {
    const { source, store } = await engineStore();
    await sync(store, source);
    for (const name of readdirSync(source)) rmSync(join(source, name), { recursive: true });

    await expect(sync(store, source, { trackDeletes: true })).rejects.toMatchObject({
      code: 'mass-delete',
      hint: expect.any(String),
    });

    expect(await sync(store, source, { trackDeletes: true, allowMassDelete: true })).toMatchObject({ version: 2 });
  });

  test('notices a store that has forgotten what its home remembers', async () => {
    const { folder, source, open } = await engineStore();
    const home = join(folder, 'home');
    await sync(await open({ home }), source);
    rmSync(join(folder, 'store'), { recursive: true });

    await expect(sync(await open({ home }), source)).rejects.toMatchObject({ code: 'forgotten-store' });

    expect(await sync(await open({ home }), source, { newStore: true })).toMatchObject({ version: 1 });
    rmSync(join(folder, 'store'), { recursive: true });
    expect(await sync(await open({}), source)).toMatchObject({ version: 1 });
  });

  test('says that a folder of the same name has a dataset, and continues it where that is said', async () => {
    const { folder, source, store } = await engineStore();
    const { datasetId } = await sync(store, source);
    const moved = join(folder, 'moved', 'photos');
    mkdirSync(join(folder, 'moved'));
    renameSync(source, moved);
    const notes: string[] = [];

    const { warnings } = await sync(store, moved, {
      dryRun: true,
      onEvent: (event) => event.type === 'note' && notes.push(event.text),
    });
    const continued = await sync(store, moved, { datasetId });

    expect(warnings).toEqual([expect.stringContaining(datasetId)]);
    expect(notes).toEqual(expect.arrayContaining([...warnings]));
    expect(continued).toMatchObject({ version: 1, changes: { noChanges: true } });
  });
});
