// A balance of what the upload service wrote, with equal files stored once, and what repair makes of it afterwards.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Json } from '../../../support/make-archive.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { MIB, noise } from '../../archive/trees.js';
import { uploadFolder } from '../../archive/upload-folder.js';
import { repair } from '../repair/repair-cases.js';
import { balanceFolder, restored, verifyFolder } from './balance-run.js';

test('it reads as before, also from a manifest that is rebuilt from the moved chunks', async () => {
  const folder = await tempFolder();
  const [source, base] = [join(folder, 'source'), join(folder, 'store')];
  await mkdir(join(source, 'd'), { recursive: true });
  const names = ['d/1', 'd/2', 'd/3', 'd/4', 'd/copy of 1'];
  const photos = names.map(() => noise(6 * MIB));
  const contents = names.map((name, file) => photos[name === 'd/copy of 1' ? 0 : file] ?? Buffer.alloc(0));
  const isWhole = (found: readonly Buffer[]): boolean => found.every((bytes, file) => contents[file]?.equals(bytes));
  for (const [file, name] of names.entries()) await writeFile(join(source, name), contents[file] ?? '');
  const { uploadId } = await uploadFolder(source, base, { shardStrategy: 'directory', dedup: true }).result;
  expect((await verifyFolder(base, uploadId)).ok).toBe(true);

  const plan = await balanceFolder(base, { uploadId });

  expect(plan.loads.ratio).toBeGreaterThan(3.9);
  expect(plan.moves).toHaveLength(3);
  expect(plan.after.ratio).toBeLessThan(1.1);
  expect(await verifyFolder(base, uploadId)).toMatchObject({ ok: true });
  expect(isWhole(await restored(base, names, uploadId))).toBe(true);

  const manifest = join(base, 'uploads', uploadId, 'manifest.json.gz');
  const before = await readFile(manifest);
  await rm(manifest);
  const { status, lost } = await repair(base, uploadId);

  expect([status, lost]).toEqual(['repaired', []]);
  const placesIn = (bytes: Buffer): unknown =>
    (JSON.parse(gunzipSync(bytes).toString()) as { chunks: Json[] }).chunks.map(({ key, shard }) => [key, shard]);
  expect(placesIn(await readFile(manifest))).toEqual(placesIn(before));
  expect(await verifyFolder(base, uploadId)).toMatchObject({ ok: true, errors: [] });
  expect(isWhole(await restored(base, names, uploadId))).toBe(true);
});
