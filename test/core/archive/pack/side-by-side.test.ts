// Threads hash each other's frames: with real threads, what each file's MD5 must be whatever they do.
import { createHash, hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packTree } from '../pack-tree.js';
import { uploadFolder } from '../upload-folder.js';
import { MIB } from '../trees.js';
import { tempFolder } from '../../../support/temp-folder.js';

/** Content that packs in little time, and repeats in no other file. */
function content(bytes: number, seed: number): Buffer {
  const unit = createHash('sha512').update(String(seed)).digest();
  const all = Buffer.alloc(bytes, unit);
  for (let at = 0; at + 8 <= bytes; at += 4096) all.writeDoubleLE(at * seed, at);
  return all;
}

const SIZES = [
  ...Array.from({ length: 8 }, () => 3 * MIB),
  ...Array.from({ length: 8 }, (_, index) => 2 * MIB + index * 99_991),
  256 * 1024,
  256 * 1024 + 1,
  700_000,
  MIB,
  9 * MIB,
  11 * MIB + 5,
  100,
  0,
];

describe('files packed by several threads', () => {
  test.each([2, 4])('have their own MD5, cut or not, by %i of them', async (workers) => {
    const folder = await tempFolder();
    const [source, base] = [join(folder, 'source'), join(folder, 'store')];
    mkdirSync(source);
    SIZES.forEach((bytes, index) => writeFileSync(join(source, `f${index}`), content(bytes, index + 1)));

    const limits = { workers, frameBytes: 256 * 1024, chunkBytes: 4 * MIB, memoryLimitBytes: 512 * MIB };
    const { uploadId } = await uploadFolder(source, base, limits).result;

    const text = gunzipSync(readFileSync(join(base, 'uploads', uploadId, 'manifest.json.gz'))).toString();
    const { files } = JSON.parse(text) as { files: { path: string; md5?: string; segments?: unknown }[] };
    const found = Object.fromEntries(files.flatMap(({ path, md5 }) => (md5 === undefined ? [] : [[path, md5]])));
    expect(found).toEqual(
      Object.fromEntries(SIZES.map((bytes, index) => [`f${index}`, hash('md5', content(bytes, index + 1))])),
    );
    expect(files.filter(({ segments }) => segments !== undefined)).toHaveLength(2);
  });

  test('have it when one alone goes over many frames', async () => {
    const root = await tempFolder();
    writeFileSync(join(root, 'alone'), content(3 * MIB + 17, 1));

    const { entries } = packTree(root);

    expect(entries.get('alone')?.md5).toBe(hash('md5', content(3 * MIB + 17, 1)));
  });
});

describe('one huge file', () => {
  test.each([2, 4])('becomes the same chunks whether %i threads make its frames or one', async (workers) => {
    const folder = await tempFolder();
    const source = join(folder, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'huge'), content(60 * MIB + 12_345, 7));
    const limits = { frameBytes: 256 * 1024, chunkBytes: 4 * MIB, memoryLimitBytes: 512 * MIB };
    const chunksBy = async (threads: number) => {
      const base = join(folder, `store-${threads}`);
      const { uploadId } = await uploadFolder(source, base, { ...limits, workers: threads }).result;
      const text = gunzipSync(readFileSync(join(base, 'uploads', uploadId, 'manifest.json.gz'))).toString();
      const { chunks, files } = JSON.parse(text) as {
        chunks: { frames: unknown; key: string; size: number; sha256: string }[];
        files: { md5?: string }[];
      };
      for (const { key, size, sha256 } of chunks) {
        const bytes = readFileSync(join(base, 'uploads', uploadId, key));
        expect([bytes.length, hash('sha256', bytes)]).toEqual([size, sha256]);
      }
      return { frames: chunks.map(({ frames }) => frames), md5: files[0]?.md5 };
    };

    const alone = await chunksBy(1);

    expect(alone.md5).toBe(hash('md5', content(60 * MIB + 12_345, 7)));
    expect(alone.frames).toHaveLength(16);
    expect(await chunksBy(workers)).toEqual(alone);
  });
});
