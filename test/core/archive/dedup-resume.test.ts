// An upload that stores equal files once, interrupted again and again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chunkPuts, expectWhole, failingAfter, goOn, run, site } from './resume/interrupted.js';
import { MIB, noise } from './trees.js';

test('nothing is sent twice, and everything comes back', async () => {
  const place = await site();
  const photos = Array.from({ length: 6 }, () => noise(2 * MIB));
  const film = noise(9 * MIB);
  for (const folder of ['a', 'b', 'c']) {
    mkdirSync(join(place.source, folder), { recursive: true });
    for (const [index, photo] of photos.entries()) writeFileSync(join(place.source, folder, `photo ${index}`), photo);
    writeFileSync(join(place.source, folder, 'film'), film);
  }
  const sent: string[] = [];
  let upload = run(place, { dedup: true, wrap: failingAfter(2) });
  let result = await upload.result.catch(() => undefined);
  let runs = 1;
  for (; result === undefined; runs++) {
    sent.push(...chunkPuts(upload).slice(0, 2));
    upload = await goOn(place, { dedup: true, wrap: failingAfter(2) });
    result = await upload.result.catch(() => undefined);
  }

  expect(runs).toBeGreaterThan(2);
  expect(new Set(sent).size).toBe(sent.length);
  expect(result.storedBytes).toBeLessThan(6 * 2 * MIB + 9 * MIB + 500_000);
  const saved = { files: 14, bytes: 2 * (6 * 2 * MIB + 9 * MIB) };
  expect(result.deduplicated).toEqual(saved);
  const manifest = readFileSync(join(place.base, result.manifestKey));
  expect(JSON.parse(gunzipSync(manifest).toString())).toMatchObject({ dedup: saved });
  await expectWhole(place, result.uploadId);
});
