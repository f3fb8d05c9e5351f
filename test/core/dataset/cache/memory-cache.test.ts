import { expect, test } from 'vitest';
import { memoryCache } from '../../../../src/core/dataset/cache/memory-cache.js';

const bytes = (length: number) => ({ bytes: Buffer.alloc(length) });

test('counts what is put twice once, and keeps what came first', async () => {
  const cache = memoryCache(100);

  for (const sha256 of ['a', 'a', 'a']) await cache.put(sha256, bytes(40));
  await cache.put('b', bytes(40));
  await cache.put('c', bytes(40));

  expect(await cache.get('a')).toEqual(bytes(40));
  expect(await cache.get('b')).toEqual(bytes(40));
  expect(await cache.get('c')).toBeUndefined();
});
