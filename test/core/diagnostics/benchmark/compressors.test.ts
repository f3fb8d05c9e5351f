import { gunzipSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ALGORITHMS, CANDIDATES, openCompressor } from '../../../../src/core/diagnostics/benchmark/compressors.js';
import { fillGenerated } from '../../../../src/core/platform/generated-data.js';

const raw = Buffer.alloc(300_000);
fillGenerated('mixed', 0, raw);

test.each(CANDIDATES.map((candidate) => [candidate.algorithm, candidate.level, candidate] as const))(
  '%s %s gives back what it got, again and again',
  async (_, __, candidate) => {
    const compressor = await openCompressor(candidate);

    for (const part of [raw, raw.subarray(0, 10), raw.subarray(100_000)]) {
      const stored = compressor?.compress(part) ?? Buffer.alloc(0);
      expect(compressor?.decompress(stored, part.length).equals(part)).toBe(true);
    }
  },
);

test('formats are what they are called, and higher levels make them smaller', async () => {
  const sizes = async (algorithm: string): Promise<number[]> => {
    const own = CANDIDATES.filter((one) => one.algorithm === algorithm);
    return await Promise.all(own.map(async (one) => (await openCompressor(one))?.compress(raw).length ?? 0));
  };
  const compress = async (algorithm: (typeof ALGORITHMS)[number]): Promise<Buffer> =>
    Buffer.from((await openCompressor({ algorithm, level: null }))?.compress(raw) ?? []);

  expect(gunzipSync(await compress('gzip')).equals(raw)).toBe(true);
  expect(inflateSync(await compress('zlib')).equals(raw)).toBe(true);
  expect((await compress('zstd')).readUInt32LE()).toBe(0xfd2fb528);
  expect((await compress('lz4')).readUInt32LE()).toBe(0x184d2204);
  // Snappy and S2 blocks begin with the length of the content, seven bits a byte.
  expect([...(await compress('s2')).subarray(0, 3)]).toEqual([
    (300_000 & 127) | 128,
    ((300_000 >> 7) & 127) | 128,
    300_000 >> 14,
  ]);
  for (const algorithm of ['gzip', 'zlib', 'zstd']) {
    const own = await sizes(algorithm);
    expect(own.at(-1)).toBeLessThan(own[0] ?? 0);
  }
});

test.each(['lz4', 's2'] as const)('%s is left out where its package is not installed', async (algorithm) => {
  const load = (): Promise<unknown> => Promise.reject(new Error('Cannot find package'));

  expect(await openCompressor({ algorithm, level: null }, load)).toBeUndefined();
});
