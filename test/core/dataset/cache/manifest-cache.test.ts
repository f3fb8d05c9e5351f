import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import { tempFolder } from '../../../support/temp-folder.js';

const content = (text: string): { readonly sha256: string; readonly bytes: Buffer } => {
  const bytes = Buffer.from(text.padEnd(100, '.'));
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
};
const [one, two, three] = [content('one'), content('two'), content('three')];

async function cache(limitBytes = 1e6) {
  const folder = join(await tempFolder(), 'home', 'manifest-cache');
  const troubles: string[] = [];
  let now = 1_000_000_000_000;
  const opened = openManifestCache({
    folder,
    limitBytes,
    onTrouble: (text) => troubles.push(text),
    now: () => (now += 1000),
  });
  return { folder, troubles, cache: opened };
}

test('gives back what was kept, for nobody else to read', async () => {
  const { cache: it, folder, troubles } = await cache();

  expect(await it.get(one.sha256)).toBeUndefined();
  await it.put(one.sha256, one);
  await it.put(one.sha256, one);

  expect(await it.get(one.sha256)).toEqual({ bytes: one.bytes });
  expect(await readdir(folder)).toEqual([`${one.sha256}.json.gz`]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, `${one.sha256}.json.gz`))).mode & 0o777).toBe(0o600);
  expect(troubles).toEqual([]);
});

test('what was damaged is a miss and is removed', async () => {
  const { cache: it, folder } = await cache();
  for (const bytes of [Buffer.concat([one.bytes, Buffer.from('x')]), Buffer.alloc(0)]) {
    await it.put(one.sha256, one);
    await writeFile(join(folder, `${one.sha256}.json.gz`), bytes);

    expect(await it.get(one.sha256)).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  }
});

describe('a manifest that is encrypted in the store', () => {
  const stored = createHash('sha256').update('sealed bytes').digest('hex');
  const manifest = { bytes: Buffer.from('opened\n{"bytes"}'), sealedBy: 'arn:aws:kms:key' };

  test('is kept opened, under the digest of what is stored, for nobody else to read', async () => {
    const { cache: it, folder } = await cache();
    await it.put(stored, manifest);

    expect(await it.get(stored)).toEqual(manifest);
    expect((await stat(join(folder, `${stored}.json.gz`))).mode & 0o777).toBe(0o600);
  });

  test('is a miss, and removed, with any byte flipped or under another digest', async () => {
    const { cache: it, folder } = await cache();
    await it.put(stored, manifest);
    const path = join(folder, `${stored}.json.gz`);
    const file = await readFile(path);
    for (let at = 0; at < file.length; at++) {
      const flipped = Buffer.from(file);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await writeFile(path, flipped);

      expect([at, await it.get(stored)]).toEqual([at, undefined]);
      expect(await readdir(folder)).toEqual([]);
    }
    await writeFile(join(folder, `${one.sha256}.json.gz`), file);
    expect(await it.get(one.sha256)).toBeUndefined();
  });
});

test('the least recently used goes when the limit is reached, and what others keep there stays', async () => {
  const { cache: it, folder } = await cache(250);
  await it.put(one.sha256, one);
  await it.put(two.sha256, two);
  await utimes(join(folder, `${one.sha256}.json.gz`), 1, 1);
  await utimes(join(folder, `${two.sha256}.json.gz`), 2, 2);
  await writeFile(join(folder, 'x.head.json'), 'y'.repeat(500));
  await it.get(one.sha256);

  await it.put(three.sha256, three);

  expect((await readdir(folder)).sort()).toEqual(
    [`${one.sha256}.json.gz`, `${three.sha256}.json.gz`, 'x.head.json'].sort(),
  );
});

test('what is larger than the limit is not kept and drives nothing out', async () => {
  const { cache: it, folder, troubles } = await cache(150);
  await it.put(one.sha256, one);

  await it.put(content('y'.repeat(151)).sha256, content('y'.repeat(151)));

  expect(await readdir(folder)).toEqual([`${one.sha256}.json.gz`]);
  expect(troubles).toEqual([]);
});

test('a temporary file of a process that died is removed, a fresh one is left', async () => {
  const { cache: it, folder } = await cache();
  await mkdir(folder, { recursive: true });
  const [stale, fresh] = ['a', 'b'].map((digit) => `.${one.sha256}.json.gz.${digit.repeat(12)}`) as [string, string];
  for (const name of [stale, fresh]) await writeFile(join(folder, name), 'half');
  await utimes(join(folder, stale), 1, 1);
  await utimes(join(folder, fresh), 999_999_999, 999_999_999);

  await it.put(two.sha256, two);

  expect((await readdir(folder)).sort()).toEqual([fresh, `${two.sha256}.json.gz`].sort());
});

test('a place that cannot be a folder makes a cache without effect, said once', async () => {
  const { cache: it, folder, troubles } = await cache();
  await mkdir(join(folder, '..'), { recursive: true });
  await writeFile(folder, 'a file');

  for (const each of [one, two]) {
    await it.put(each.sha256, each);
    expect(await it.get(each.sha256)).toBeUndefined();
  }

  expect(troubles).toEqual([expect.stringContaining(`manifests cannot be kept in ${folder}`)]);
  expect(await readFile(folder, 'utf8')).toBe('a file');
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be written is the same', async () => {
  const { cache: it, folder, troubles } = await cache();
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o500);

  await it.put(one.sha256, one);

  expect(await it.get(one.sha256)).toBeUndefined();
  expect(troubles).toHaveLength(1);
});

test('a digest that is none names no file', async () => {
  const { cache: it, folder } = await cache();
  await it.put('../../../escape', one);

  expect(await it.get('../../../escape')).toBeUndefined();
  await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});
