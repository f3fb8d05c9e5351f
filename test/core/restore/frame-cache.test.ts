import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FrameCache } from '../../../src/core/restore/frame-cache.js';
import { tempFolder } from '../../support/temp-folder.js';

const frame = (seed: number, size = 1000): Buffer => Buffer.alloc(size, seed);
const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const read = async (cache: FrameCache, bytes: Buffer): Promise<Buffer | undefined> => {
  const target = Buffer.alloc(1000);
  return (await cache.read(sha(bytes), target)) ? target : undefined;
};
const total = (folder: string): number =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, String(name))))
    .filter((stats) => stats.isFile())
    .reduce((sum, { size }) => sum + size, 0);

test('gives back what it was given, also to the next process', async () => {
  const folder = await tempFolder();
  const first = new FrameCache({ folder, limitBytes: 1e6 });
  void first.put(sha(frame(1)), frame(1));
  await first.settled();

  const second = new FrameCache({ folder, limitBytes: 1e6 });

  expect(second.has(sha(frame(1)))).toBe(true);
  expect((await read(second, frame(1)))?.equals(frame(1))).toBe(true);
  expect(await read(second, frame(2))).toBeUndefined();
});

test('drops the least recently used and stays below its limit, counting what others wrote', async () => {
  const folder = await tempFolder();
  const cache = new FrameCache({ folder, limitBytes: 10_000 });
  for (let seed = 1; seed <= 6; seed++) void cache.put(sha(frame(seed)), frame(seed));
  await cache.settled();
  const at = (seed: number): string => join(folder, sha(frame(seed)).slice(0, 2), sha(frame(seed)));
  for (let seed = 1; seed <= 6; seed++) utimesSync(at(seed), seed * 1000, seed * 1000);
  await read(cache, frame(1));
  const other = new FrameCache({ folder, limitBytes: 10_000 });
  void other.put(sha(frame(50, 4000)), frame(50, 4000));
  await other.settled();

  for (let seed = 7; seed <= 9; seed++) void cache.put(sha(frame(seed)), frame(seed));
  await cache.settled();

  expect(total(folder)).toBeLessThanOrEqual(10_000);
  expect(existsSync(at(1))).toBe(true);
  expect(existsSync(at(2))).toBe(false);
});

test('stays below its limit where several keep frames at the same time', async () => {
  const folder = await tempFolder();
  const caches = Array.from({ length: 8 }, () => new FrameCache({ folder, limitBytes: 10_000 }));
  caches.forEach((cache, at) => void cache.put(sha(frame(at + 1, 3000)), frame(at + 1, 3000)));

  await Promise.all(caches.map((cache) => cache.settled()));

  expect(total(folder)).toBeLessThanOrEqual(10_000);
});

test('removes what a process that died left behind, and believes no file for its name', async () => {
  const folder = await tempFolder();
  const cache = new FrameCache({ folder, limitBytes: 1e6 });
  void cache.put(sha(frame(1)), frame(1));
  await cache.settled();
  const path = join(folder, sha(frame(1)).slice(0, 2), sha(frame(1)));
  writeFileSync(`${path}.1-1.tmp`, 'half');
  utimesSync(`${path}.1-1.tmp`, 1, 1);
  writeFileSync(path, frame(2));

  const next = new FrameCache({ folder, limitBytes: 1e6 });

  expect(await read(next, frame(1))).toBeUndefined();
  expect(existsSync(path)).toBe(false);
  void next.put(sha(frame(3)), frame(3));
  await next.settled();
  expect(existsSync(`${path}.1-1.tmp`)).toBe(false);
});

test('is asked for one frame without a look at all others, and for nothing but frames', async () => {
  const folder = await tempFolder();
  const first = new FrameCache({ folder, limitBytes: 1e6 });
  void first.put(sha(frame(1)), frame(1));
  await first.settled();
  const cache = new FrameCache({ folder, limitBytes: 1e6 });
  const before = readdirSync(folder);

  expect(cache.has(sha(frame(1)))).toBe(true);
  expect(cache.has(sha(frame(2)))).toBe(false);
  for (const name of ['', '.', '..', `../${before[0]}`, sha(frame(1)).slice(0, 2)]) expect(cache.has(name)).toBe(false);
  await cache.drop(sha(frame(1)));
  expect(cache.has(sha(frame(1)))).toBe(false);
  expect(await read(cache, frame(1))).toBeUndefined();
});

test('what would wait for a disk that is far behind is not kept, and comes back another time', async () => {
  const folder = await tempFolder();
  const cache = new FrameCache({ folder, limitBytes: 1e9, waitingBytes: 2500 });
  const frames = [1, 2, 3].map((seed) => frame(seed));
  const put = (): readonly unknown[] => frames.map((bytes) => cache.put(sha(bytes), bytes) !== undefined);

  expect(put()).toEqual([true, true, false]);
  await cache.settled();
  expect(frames.map((bytes) => cache.has(sha(bytes)))).toEqual([true, true, false]);
  expect(put()).toEqual([false, false, true]);
  await cache.settled();
  expect(frames.map((bytes) => cache.has(sha(bytes)))).toEqual([true, true, true]);
});
