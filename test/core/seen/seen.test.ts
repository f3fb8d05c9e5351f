// What this computer remembers of a store that is asked by nobody: over a folder that is said to be a bucket.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listDatasets } from '../../../src/core/dataset/records/versions.js';
import { TOMBSTONE_BYTES } from '../../../src/core/dataset/records/tombstone-bytes.js';
import { notingNames } from '../../../src/core/seen/note-names.js';
import { entriesBelow, keptUpload } from '../../../src/core/seen/seen-entries.js';
import { datasetsIn, seenAt } from '../../../src/core/seen/seen-names.js';
import { rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { openStore } from '../../../src/core/store/open-store.js';
import { archiver } from '../../e2e/in-process.js';
import { tempFolder } from '../../support/temp-folder.js';

const URL = 's3://acme-archive/lab';
const record = (id: string, version: number): string => `datasets/${id}/v${String(version).padStart(8, '0')}.json`;

async function bucket() {
  const folder = await tempFolder();
  const cache = join(folder, 'cache');
  const open = async () => {
    const opened = await openStore(`file://${join(folder, 'store')}`, { env: {} });
    return notingNames({ ...opened, store: { ...opened.store, url: URL } }, cache);
  };
  const put = async (key: string, bytes = 1): Promise<void> => {
    const path = join(folder, 'store', key);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'x'.repeat(bytes));
  };
  const list = async (): Promise<void> => {
    const opened = await open();
    await listDatasets(opened.store);
    opened.close();
  };
  const seen = () => seenAt(cache, URL).flatMap(({ keys }) => datasetsIn(keys));
  return { cache, folder, open, put, list, seen };
}

test('names that a command lists are remembered, and what is gone is forgotten', async () => {
  const { put, list, seen, folder, cache } = await bucket();
  await put(record('photos', 1));
  await put(record('photos', 2), TOMBSTONE_BYTES);
  await put(record('photos', 10));
  await put('datasets/photos/tags/v00000010.sent.json');
  await put(record('mail', 1));
  await list();

  expect(seen()).toEqual([
    { datasetId: 'mail', versions: ['v1'], tags: [] },
    { datasetId: 'photos', versions: ['v10', 'v1'], tags: ['sent'] },
  ]);
  const [name = ''] = readdirSync(cache);
  expect(statSync(join(cache, name)).mode & 0o777).toBe(0o600);

  rmSync(join(folder, 'store', 'datasets', 'mail'), { recursive: true });
  await list();
  expect(seen().map(({ datasetId }) => datasetId)).toEqual(['photos']);
});

test('what a command puts is noted without a listing', async () => {
  const { open, seen } = await bucket();
  const opened = await open();
  await opened.store.put(record('photos', 1), Buffer.from('x'));
  await opened.store.put(record('photos', 2), Buffer.from('x'));
  await opened.store.put('datasets/photos/tags/v00000001.sent.json', Buffer.from('x'));
  await opened.store.put(record('photos', 1), Buffer.alloc(TOMBSTONE_BYTES));
  opened.close();

  expect(seen()).toEqual([{ datasetId: 'photos', versions: ['v2'], tags: ['sent'] }]);
});

test('a listing that is broken off, or of one dataset, forgets nothing of others', async () => {
  const { open, put, list, seen, folder } = await bucket();
  for (const id of ['mail', 'photos']) await put(record(id, 1));
  await list();
  rmSync(join(folder, 'store', 'datasets', 'mail'), { recursive: true });
  const opened = await open();
  for await (const page of opened.store.list({ prefix: 'datasets/photos/' })) expect(page.objects).toHaveLength(1);
  await put(record('zoo', 1));
  for await (const page of opened.store.list({ prefix: 'datasets/' })) if (page.objects.length > 0) break;
  opened.close();

  expect(seen().map(({ datasetId }) => datasetId)).toEqual(['mail', 'photos']);
});

test('a file that is damaged or not ours counts as none, and so do keys that archiver cannot have made', async () => {
  const { put, list, seen, cache } = await bucket();
  await put(record('photos', 1));
  await list();
  const path = join(cache, readdirSync(cache)[0] ?? '');
  const keys = ['datasets/$(id)/v00000001.json', 'datasets/a\nb/v00000001.json', record('ok', 3), 7];
  writeFileSync(path, JSON.stringify({ type: 'archiver-seen-names', format: 1, url: URL, keys }));
  expect(seen().map(({ datasetId }) => datasetId)).toEqual(['ok']);
  writeFileSync(path, '{');
  expect(seen()).toEqual([]);
});

test('paths come from the manifests that are kept here, with the store gone', async () => {
  const home = await tempFolder();
  mkdirSync(join(home, 'lab', 'data', 'deep'), { recursive: true });
  writeFileSync(join(home, 'lab', 'data', 'deep', 'a.csv'), 'a');
  for (let n = 0; n < 40; n++) writeFileSync(join(home, 'lab', `f${n}`), '');
  const sync = () => archiver(home, ['sync', 'lab', join(home, 'store'), '--dataset', 'lab', '--quiet']);
  expect(await sync()).toMatchObject({ status: 0 });
  writeFileSync(join(home, 'lab', 'data', 'b.csv'), 'b');
  expect(await sync()).toMatchObject({ status: 0 });
  rmSync(join(home, 'store'), { recursive: true });
  const cache = join(home, '.archiver', 'manifest-cache');
  const place = { url: `file://${join(home, 'store')}`, server: undefined };
  const kept = await keptUpload(cache, place, 'lab');
  const { signal } = new AbortController();
  const below = async (folder: string, prefix: string) =>
    kept && (await entriesBelow(kept, [rawFromText(folder), rawFromText(prefix)], signal)).map(({ name }) => name);

  expect(await below('data', '')).toEqual(['b.csv', 'deep']);
  expect(await below('', 'da')).toEqual(['data']);
  expect(await keptUpload(cache, place, 'other')).toBeUndefined();
  for (const name of readdirSync(cache).filter((one) => one.endsWith('.json.gz'))) rmSync(join(cache, name));
  expect(await keptUpload(cache, place, 'lab')).toBeUndefined();
});
