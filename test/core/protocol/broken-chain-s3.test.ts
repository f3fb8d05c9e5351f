// The same on S3, where a listing shows by size and ETag what became of a manifest, and requests cost money.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { archiveFolder } from '../../../src/core/archive/archive-folder.js';
import { resolveSource } from '../../../src/core/archive/scan/source-folder.js';
import type { UploadResult } from '../../../src/core/archive/upload-result.js';
import { readView } from '../../../src/core/dataset/chain/read-view.js';
import { type MemoryObject, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { noise } from '../archive/trees.js';

const { signal } = new AbortController();

interface Lab {
  readonly s3: MemoryS3;
  readonly folder: string;
  readonly objects: Map<string, MemoryObject>;
  readonly sync: () => Promise<UploadResult>;
  /** Operations of the next sync, or of an upload of everything, counted. */
  readonly counted: (options?: { readonly isUpload: boolean }) => Promise<{
    readonly result: UploadResult;
    readonly requests: Readonly<Record<string, number>>;
  }>;
  readonly dayPasses: () => void;
  readonly pathsOf: (result: UploadResult) => Promise<readonly string[]>;
}

/** Three versions, each of the last two a delta. `kms`: ETags are no MD5s, as where the bucket encrypts with a key of KMS. */
async function makeLab({ kms = false } = {}): Promise<Lab & { readonly uploads: readonly UploadResult[] }> {
  useTestCredentials();
  const s3 = await startMemoryS3();
  onTestFinished(() => s3.close());
  const objects = new Map<string, MemoryObject>();
  if (kms) {
    const set = objects.set.bind(objects);
    objects.set = (key, object) => set(key, { ...object, etag: `${object.etag.slice(0, 31)}x` });
  }
  s3.buckets.set('bucket', objects);
  const opened = await openTestS3(s3.endpoint, 'bucket', { prefix: '' });
  const home = await tempFolder();
  const folder = join(home, 'source');
  mkdirSync(folder);
  for (let index = 0; index < 20; index++) writeFileSync(join(folder, `file-${index}`), noise(500));
  const archiverHome = join(home, '.archiver');
  const sync = async ({ isUpload = false } = {}): Promise<UploadResult> =>
    await archiveFolder({
      store: opened,
      source: resolveSource(folder),
      home: archiverHome,
      dataset: { id: 'lab', changes: isUpload ? undefined : { trackDeletes: false } },
      signal,
      emit: () => undefined,
    });
  const counted: Lab['counted'] = async (options) => {
    s3.requests.length = 0;
    const result = await sync(options);
    const requests: Record<string, number> = {};
    for (const { operation } of s3.requests) requests[operation] = (requests[operation] ?? 0) + 1;
    return { result, requests };
  };
  const dayPasses = (): void => {
    const cache = join(archiverHome, 'manifest-cache');
    for (const name of readdirSync(cache)) if (name.endsWith('.look.json')) rmSync(join(cache, name));
  };
  const pathsOf = async ({ uploadId }: UploadResult): Promise<readonly string[]> => {
    const paths: string[] = [];
    await readView(opened.store, { uploadId, onEntry: ({ path }) => void paths.push(path) });
    return paths;
  };
  const uploads = [await sync()];
  for (const name of ['second', 'third']) {
    writeFileSync(join(folder, name), noise(500));
    uploads.push(await sync());
  }
  return { s3, folder, objects, sync, counted, dayPasses, pathsOf, uploads };
}

/** Somebody puts something else of the same size there. */
function overwrite(objects: Map<string, MemoryObject>, key: string): void {
  const object = objects.get(key);
  if (object === undefined) throw new Error(`no ${key}`);
  objects.set(key, { ...object, body: Buffer.alloc(object.body.length, 7), etag: '0'.repeat(32) });
}

test('a sync that finds nothing new is one LIST; the first of a day one more for each folder, and no GET', async () => {
  const { counted, dayPasses } = await makeLab();

  expect((await counted()).requests).toEqual({ ListObjectsV2: 1 });
  dayPasses();
  expect((await counted()).requests).toEqual({ ListObjectsV2: 4 });
  expect((await counted()).requests).toEqual({ ListObjectsV2: 1 });
});

test('where an ETag is no MD5, manifests are read once, and not when they are shown as they were', async () => {
  const { counted, dayPasses, objects } = await makeLab({ kms: true });

  expect((await counted()).requests).toEqual({ ListObjectsV2: 1 });
  dayPasses();
  expect([...objects.values()].every(({ etag }) => etag.endsWith('x'))).toBe(true);
  expect((await counted()).requests).toEqual({ ListObjectsV2: 4, GetObject: 3 });
  expect((await counted()).requests).toEqual({ ListObjectsV2: 1 });
});

test.each([0, 1, 2])(
  'manifest %i of the chain has other bytes of the same size: the next version is whole',
  async (at) => {
    const { counted, dayPasses, objects, uploads, pathsOf } = await makeLab();
    overwrite(objects, uploads[at]?.manifestKey ?? '');
    dayPasses();

    const { result } = await counted();

    expect(result).toMatchObject({ version: 4, changes: { noChanges: false } });
    expect(await pathsOf(result)).toHaveLength(22);
  },
);

test('the manifest to build on was overwritten an hour ago: no delta is written on it', async () => {
  const { counted, objects, uploads, pathsOf, folder } = await makeLab();
  overwrite(objects, uploads[2]?.manifestKey ?? '');
  writeFileSync(join(folder, 'new'), 'new');

  const { result } = await counted();

  expect(result).toMatchObject({ version: 4, changes: { added: 1 } });
  expect(await pathsOf(result)).toHaveLength(23);
});

test('a delta costs one LIST more than before there were looks at the own folder, on a day that has been looked at', async () => {
  const { counted, folder } = await makeLab();
  writeFileSync(join(folder, 'new'), 'new');

  // The dataset; the folder of the version before, twice; the own one, twice; manifest and record.
  expect((await counted()).requests).toEqual({ ListObjectsV2: 7, PutObject: 3 });
});

test('an upload of everything costs one LIST more than before, that after its record', async () => {
  const { counted } = await makeLab();

  // The dataset; the own folder, twice; manifest and record. One chunk, manifest, record.
  expect((await counted({ isUpload: true })).requests).toEqual({ ListObjectsV2: 5, PutObject: 3 });
});
