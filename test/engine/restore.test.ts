import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { archive, openStore, restore, type RestoreOptions, sync } from '../../src/engine/index.js';
import { engineStore, eventLog } from '../support/engine-store.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { tempFolder } from '../support/temp-folder.js';

const contentOf = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');

/** Breaks the bytes of every chunk that the store has. */
function damageChunks(folder: string): void {
  for (const entry of readdirSync(join(folder, 'store', 'uploads'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('manifest')) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, readFileSync(path).fill(0, 0, 40));
  }
}

describe('restore', () => {
  test('gives everything back, and leaves alone what is in place', async () => {
    const { source, store, out } = await engineStore();
    const { datasetId, uploadId } = await archive(store, source);
    const { onEvent, types } = eventLog();

    const restored = await restore(store, out, { onEvent });
    const again = await restore(store, out);

    expect(restored).toEqual({
      status: 'restored',
      uploadId,
      datasetId,
      version: 1,
      outputDir: out,
      files: 3,
      directories: 1,
      bytes: 14,
      unchanged: 0,
      protected: 0,
      failed: [],
      chunks: 1,
      bytesFetched: expect.any(Number),
      coldChunks: [],
      costUsd: 0,
      warnings: [],
    });
    expect([contentOf(out, 'a.txt'), contentOf(out, 'deep/c.txt')]).toEqual(['alpha', 'gamma']);
    expect(again).toMatchObject({ status: 'restored', files: 0, unchanged: 3, bytesFetched: 0 });
    expect(types()).toEqual(expect.arrayContaining(['start', 'plan', 'progress']));
  });

  test('gives what is chosen of the version that is meant', async () => {
    const { source, store, out, write } = await engineStore();
    await sync(store, source);
    write('a.txt', 'alpha two', 1_700_000_100);
    await sync(store, source);

    await restore(store, out, { version: 1, files: ['a.txt'], patterns: ['*.txt'] });
    await restore(store, join(out, 'flat'), { files: ['deep'], flatten: true });

    expect(readdirSync(out).toSorted()).toEqual(['a.txt', 'flat']);
    expect(contentOf(out, 'a.txt')).toBe('alpha');
    expect(readdirSync(join(out, 'flat'))).toEqual(['c.txt']);
    expect(await restore(store, out, { files: ['a.txt'], overwrite: 'never' })).toMatchObject({ protected: 1 });
    expect(await restore(store, out, { files: ['a.txt', 'none'] })).toMatchObject({
      files: 1,
      failed: [{ path: 'none', reason: expect.any(String) }],
    });
    expect(contentOf(out, 'a.txt')).toBe('alpha two');
  });

  test('says what it would fetch, and writes nothing', async () => {
    const { source, store, out } = await engineStore();
    await archive(store, source);

    expect(await restore(store, out, { dryRun: true })).toMatchObject({ status: 'planned', files: 3, chunks: 1 });

    expect(existsSync(out)).toBe(false);
  });

  test('names files that fail', async () => {
    const { folder, source, store, out } = await engineStore();
    await archive(store, source);
    damageChunks(folder);
    const skipped: string[] = [];

    const { files, failed } = await restore(store, out, {
      onEvent: (event) => event.type === 'skip' && skipped.push(event.path),
    });

    expect(files).toBe(0);
    expect(failed.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'b.csv', 'deep/c.txt']);
    expect(skipped.toSorted()).toEqual(['a.txt', 'b.csv', 'deep/c.txt']);
    expect(existsSync(join(out, 'a.txt'))).toBe(false);
  });

  test('says so where the newest version is empty and one before is not', async () => {
    const { source, store, out } = await engineStore();
    await sync(store, source);
    for (const name of readdirSync(source)) rmSync(join(source, name), { recursive: true });
    await sync(store, source, { trackDeletes: true, allowMassDelete: true });

    expect((await restore(store, out)).warnings).toEqual([
      expect.stringMatching(/^v2 of .* is empty, and v1 has 3 files$/),
    ]);
  });

  test.each<[string, string, RestoreOptions, string]>([
    ['a relative path', 'out', {}, 'usage'],
    ['a word that is none', '', { overwrite: 'sometimes' as 'never' }, 'usage'],
    ['a tier that is none', '', { cold: { tier: 'slow' as 'bulk' } }, 'usage'],
    ['too little memory', '', { memoryLimit: 1 }, 'usage'],
    ['what is not there', '', { files: ['none'] }, 'not-found'],
  ])('refuses %s', async (_what, path, options, code) => {
    const { source, store, out } = await engineStore();
    await archive(store, source);

    await expect(restore(store, path || out, options)).rejects.toMatchObject({ name: 'ArchiverError', code });

    expect(existsSync(out)).toBe(false);
  });

  test('that is ended leaves whole files only, and the same call goes on', async () => {
    const { source, store, out, write } = await engineStore();
    write('large.bin', Buffer.alloc(40 * 2 ** 20, 7));
    await archive(store, source);
    const ending = new AbortController();

    const restoring = restore(store, out, {
      signal: ending.signal,
      onEvent: ({ type }) => type === 'plan' && ending.abort(),
    });

    await expect(restoring).rejects.toMatchObject({ code: 'cancelled' });
    expect(existsSync(join(out, 'large.bin'))).toBe(false);
    expect(await restore(store, out)).toMatchObject({ failed: [] });
    expect(readFileSync(join(out, 'large.bin'))).toHaveLength(40 * 2 ** 20);
  });
});

test('chunks in cold storage are requested once, and the same call goes on when they are readable', async () => {
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const { source } = await engineStore();
  const out = join(await tempFolder(), 'out');
  const store = await openStore('s3://bucket', {
    endpointUrl: s3.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  });
  onTestFinished(() => store.close());
  await archive(store, source, { storageClass: 'DEEP_ARCHIVE' });

  const requested = await restore(store, out, { cold: { tier: 'bulk' } });
  const still = await restore(store, out);
  for (const object of s3.buckets.get('bucket')?.values() ?? [])
    if (object.restore !== undefined)
      object.restore = `ongoing-request="false", expiry-date="${new Date(Date.now() + 9e7).toUTCString()}"`;

  expect(requested).toMatchObject({
    status: 'requested',
    files: 3,
    coldChunks: [{ storageClass: 'DEEP_ARCHIVE', state: 'thawing' }],
    readyBy: expect.any(String),
  });
  expect([still.status, still.readyBy]).toEqual(['requested', null]);
  expect(s3.requests.filter(({ operation }) => operation === 'RestoreObject')).toHaveLength(1);
  await expect(restore(store, out, { cold: { maxCostUsd: 0 } })).rejects.toMatchObject({ code: 'budget-exceeded' });
  expect(await restore(store, out)).toMatchObject({ status: 'restored', files: 3, failed: [] });
});
