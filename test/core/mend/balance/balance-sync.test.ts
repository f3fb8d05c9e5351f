// A sync that began before a balance of the version it compares with, and commits while it goes on.
import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { manifestText } from '../../../support/make-archive.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { DATASET, makeDataset, type MadeDataset } from '../../../support/make-dataset.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { uploadFolder } from '../../archive/upload-folder.js';
import {
  balanceFolder,
  filesOf,
  folderWith,
  madeFor,
  noise,
  onMutation,
  restored,
  SIZES,
  verifyFolder,
} from './balance-run.js';

const MTIME = '2025-11-14T09:30:12.000000000Z';
const NAMES = SIZES.map((_, file) => `f${file}`);
const ORIGINALS = SIZES.map((size, file) => noise(size, `f${file}`));
const OURS = '20260304-050607-01020304';

const dataset = (): MadeDataset =>
  makeDataset([{ files: filesOf(SIZES).map((file) => ({ ...file, mtime: MTIME })), bend: madeFor(4) }]);

/** The files of the dataset, with other modes: a sync refers to the content that is stored. */
async function sourceFolder(): Promise<string> {
  const source = join(await tempFolder(), 'source');
  await mkdir(source);
  for (const [file, name] of NAMES.entries()) {
    const path = join(source, name);
    await writeFile(path, ORIGINALS[file] ?? '');
    await chmod(path, 0o600);
    await utimes(path, new Date(MTIME), new Date(MTIME));
  }
  return source;
}

const syncing = { changes: { trackDeletes: false }, datasetId: DATASET };

test('whenever it commits, its version is whole', async () => {
  const source = await sourceFolder();
  const steps: string[] = [];
  const count = (store: ObjectStore): ObjectStore => onMutation(store, (_, what) => void steps.push(what));
  await balanceFolder(await folderWith(dataset()), { wrap: count });

  for (let step = 0; step <= steps.length; step++) {
    const folder = await folderWith(dataset());
    let number = 0;
    // Its manifest goes out, then the balance does its steps up to this one, then the record goes out, then the rest.
    const wrap = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (key, body, options) => {
        const answer = await store.put(key, body, options);
        if (key.endsWith('manifest.json.gz') && number++ === 0) await reached;
        return answer;
      },
    });
    let go = (): void => undefined;
    const reached = new Promise<void>((resolve) => (go = resolve));
    const { result } = uploadFolder(source, folder, { ...syncing, wrap, randomBytes: ids() });
    await waitFor(folder, `uploads/${OURS}/manifest.json.gz`);
    const slow = (store: ObjectStore): ObjectStore =>
      onMutation(store, async (call) => {
        if (call !== step) return;
        go();
        await result;
      });
    await balanceFolder(folder, { wrap: slow });
    go();

    const { uploadId, version } = await result;
    const at = `${step}: ${steps[step] ?? 'the end'}`;
    expect([at, version]).toEqual([at, 2]);
    expect([at, await verifyFolder(folder, uploadId)]).toMatchObject([at, { ok: true, errors: [] }]);
    expect([at, await restored(folder, NAMES, uploadId)]).toEqual([at, ORIGINALS]);
  }
});

test('one that compared before the balance and commits after it refers to the old objects, which are still there', async () => {
  const folder = await folderWith(dataset());
  let number = 0;
  const wrap = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (key, body, options) => {
      if (key.endsWith('manifest.json.gz') && number++ === 0) await balanceFolder(folder);
      return await store.put(key, body, options);
    },
  });

  const { result } = uploadFolder(await sourceFolder(), folder, { ...syncing, wrap, randomBytes: ids() });

  const { uploadId, version } = await result;
  expect([version, uploadId]).toEqual([2, OURS]);
  expect(await verifyFolder(folder, uploadId)).toMatchObject({ ok: true, errors: [] });
  expect(await restored(folder, NAMES, uploadId)).toEqual(ORIGINALS);
});

test('a manifest file from before the balance is refused: chunks lie elsewhere now', async () => {
  const made = dataset();
  const folder = await folderWith(made);
  const [manifest = { files: [], chunks: [] }] = made.manifests;
  const bytes = gzipSync(manifestText(manifest));
  expect(bytes).toEqual(made.objects.get(linkKey(0)));
  await balanceFolder(folder);

  const changes = { ...syncing.changes, previousManifest: { name: 'old.json.gz', uploadId: linkId(0), bytes } };
  const { result } = uploadFolder(await sourceFolder(), folder, { ...syncing, changes });

  await expect(result).rejects.toThrow('old.json.gz is no longer the manifest of upload');
});

function ids(): () => Buffer {
  let next = 0x01020304;
  return () => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(next++);
    return bytes;
  };
}

async function waitFor(folder: string, key: string): Promise<void> {
  while ((await fileStore(folder).head(key)) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
}
