import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  archive,
  datasets,
  find,
  list,
  type ListedFile,
  type ListOptions,
  type Store,
  sync,
  versions,
} from '../../src/engine/index.js';
import { engineStore, type EngineStore, eventLog } from '../support/engine-store.js';
import { recordKey } from '../support/make-dataset.js';

async function all(store: Store, options: ListOptions = {}): Promise<readonly ListedFile[]> {
  const files: ListedFile[] = [];
  for await (const file of list(store, options)) files.push(file);
  return files;
}

const pathsOf = async (store: Store, options?: ListOptions): Promise<readonly string[]> =>
  (await all(store, options)).map(({ path }) => path);

/** Two versions; in the second `a.txt` is another and `new.txt` is there. */
async function synced(): Promise<EngineStore & { readonly datasetId: string }> {
  const made = await engineStore();
  const { datasetId } = await sync(made.store, made.source);
  made.write('a.txt', 'alpha two', 1_700_000_100);
  made.write('new.txt', 'new');
  await sync(made.store, made.source);
  return { ...made, datasetId };
}

describe('list', () => {
  test('gives the files of the newest version, in the order of their paths', async () => {
    const { store } = await synced();
    const { onEvent, types } = eventLog();

    const files = await all(store, { onEvent });

    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'b.csv', 'deep/c.txt', 'new.txt']);
    expect(files[0]).toMatchObject({
      type: 'file',
      size: 9,
      mtime: '2023-11-14T22:15:00.000000000Z',
      md5: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(types()).toEqual(['start', 'phase', 'plan', 'progress']);
  });

  test('gives those of another version, and those that are chosen', async () => {
    const { store, datasetId } = await synced();
    const { uploadId = '' } = (await versions(store)).versions.find((one) => 'uploadId' in one) ?? {};
    const md5 = (await all(store)).find(({ path }) => path === 'b.csv')?.md5 ?? '';

    expect(await pathsOf(store, { version: 1 })).toEqual(['a.txt', 'b.csv', 'deep/c.txt']);
    expect(await pathsOf(store, { dataset: datasetId, version: 'v2' })).toHaveLength(4);
    expect(await pathsOf(store, { uploadId })).toHaveLength(4);
    expect(await pathsOf(store, { files: ['deep'] })).toEqual(['deep/c.txt']);
    expect(await pathsOf(store, { patterns: ['*.txt'] })).toEqual(['a.txt', 'new.txt']);
    expect(await pathsOf(store, { md5s: [md5.toUpperCase()] })).toEqual(['b.csv']);
    expect(await pathsOf(store, { patterns: ['*.nothing'] })).toEqual([]);
  });

  test('tells what of the files is not there, and throws where none is', async () => {
    const { store } = await synced();
    const missing: string[] = [];
    const onEvent: ListOptions['onEvent'] = (event) => event.type === 'skip' && missing.push(event.path);

    expect(await pathsOf(store, { files: ['a.txt', 'none'], onEvent })).toEqual(['a.txt']);
    expect(missing).toEqual(['none']);
    await expect(pathsOf(store, { files: ['none'] })).rejects.toMatchObject({ code: 'not-found' });
  });

  test.each<[string, ListOptions, string]>([
    ['a dataset that is not there', { dataset: 'none' }, 'not-found'],
    ['a version that is not there', { version: 9 }, 'not-found'],
    ['a version that is none', { version: 'newest' }, 'usage'],
    ['an upload and a version', { uploadId: '20251114-093012-1a2b3c4d', version: 1 }, 'usage'],
    ['an upload that is none', { uploadId: '../x' }, 'usage'],
    ['an empty choice', { files: [], patterns: [] }, 'usage'],
  ])('refuses %s', async (_what, options, code) => {
    const { store } = await synced();

    await expect(all(store, options)).rejects.toMatchObject({ name: 'ArchiverError', code });
  });

  test('ends its reading with who takes no more, with a signal, and with an exception of onEvent', async () => {
    const { store } = await synced();
    const ending = new AbortController();
    const mistake = new TypeError('x is undefined');
    const took: string[] = [];

    for await (const { path } of list(store)) {
      took.push(path);
      break;
    }
    const aborted = all(store, { signal: ending.signal, onEvent: () => ending.abort() });
    const mistaken = all(store, {
      onEvent() {
        throw mistake;
      },
    });

    expect(took).toEqual(['a.txt']);
    await expect(aborted).rejects.toMatchObject({ code: 'cancelled' });
    await expect(mistaken).rejects.toBe(mistake);
  });
});

describe('datasets and versions', () => {
  test('say what a store has', async () => {
    const { source, store, datasetId } = await synced();
    await archive(store, source, { datasetId: 'other' });

    const found = await datasets(store);
    const { versions: made, ...of } = await versions(store, { dataset: 'photos' });

    expect(found.datasets).toMatchObject([
      { datasetId: 'other', versionCount: 1 },
      { datasetId, versionCount: 2, headVersion: 2, files: 4, source, host: 'test' },
    ]);
    expect(of).toEqual({ datasetId, warnings: [] });
    expect(made).toMatchObject([
      { version: 2, files: 4, previous: 1, tags: [], doubts: [] },
      { version: 1, listing: 'full', files: 3, previous: null },
    ]);
    await expect(versions(store)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('other') });
  });

  test('name a record that cannot be used', async () => {
    const { folder, store, datasetId } = await synced();
    writeFileSync(join(folder, 'store', recordKey(2, datasetId)), 'damaged');

    const { versions: made, warnings } = await versions(store);

    expect(made).toMatchObject([{ version: 2, problem: expect.any(String) }, { version: 1 }]);
    expect(warnings).toHaveLength(1);
    expect((await datasets(store)).datasets).toMatchObject([{ files: null, problem: expect.any(String) }]);
  });
});

describe('find', () => {
  test('looks through every version', async () => {
    const { store, datasetId } = await synced();
    const { onEvent, types } = eventLog();

    const { hits, ...of } = await find(store, '*.txt', { onEvent });

    expect(of).toEqual({ datasets: [{ datasetId, versionCount: 2 }], warnings: [] });
    expect(hits.map(({ path, size, inVersions }) => [path, size, inVersions])).toEqual([
      ['a.txt', 9, [{ firstVersion: 2, lastVersion: 2 }]],
      ['a.txt', 5, [{ firstVersion: 1, lastVersion: 1 }]],
      ['deep/c.txt', 5, [{ firstVersion: 1, lastVersion: 2 }]],
      ['new.txt', 3, [{ firstVersion: 2, lastVersion: 2 }]],
    ]);
    expect(types()).toEqual(['start', 'phase', 'plan', 'progress']);
    expect((await find(store, 'nothing', { dataset: datasetId })).hits).toEqual([]);
  });

  test('ends with its signal, and refuses a dataset that is not there', async () => {
    const { store } = await synced();

    await expect(find(store, 'a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(find(store, 'a', { dataset: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  });
});
