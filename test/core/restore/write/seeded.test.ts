// Files are compared by the XXH64 that was recorded of them, where every frame is compared with its SHA-256.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { restoreFrom } from '../../../support/restore-made.js';
import { run, site, type Site } from '../../archive/resume/interrupted.js';
import { MIB, noise, writeSparse } from '../../archive/trees.js';

const PATHS = ['cut', 'empty', 'large', 'small', 'sparse'];

async function uploaded(): Promise<{ readonly place: Site; readonly uploadId: string }> {
  const place = await site();
  mkdirSync(place.source);
  writeFileSync(join(place.source, 'cut'), noise(2.5 * MIB));
  writeFileSync(join(place.source, 'empty'), '');
  writeFileSync(join(place.source, 'large'), noise(300_000));
  writeFileSync(join(place.source, 'small'), 'small');
  writeSparse(join(place.source, 'sparse'), 400_000, [[200_704, noise(8192)]]);
  const { uploadId } = await run(place, { chunkBytes: MIB }).result;
  return { place, uploadId };
}

/** Changes the lines of files in the manifest, and restores. */
async function restoreWith(change: (line: string) => string, verifyFiles = true) {
  const { place, uploadId } = await uploaded();
  const path = join(place.base, 'uploads', uploadId, 'manifest.json.gz');
  const lines = gunzipSync(readFileSync(path)).toString().split('\n');
  writeFileSync(path, gzipSync(lines.map((line) => (line.startsWith('{"path"') ? change(line) : line)).join('\n')));
  return await restoreFrom(fileStore(place.base), asUploadId(uploadId), { verifyFiles });
}

/** Another digest of this name. */
const bent = (line: string, name: string): string =>
  line.replace(new RegExp(`("${name}":")(.)`), (_, key: string, first: string) => key + (first === '0' ? '1' : '0'));

test('content that matches neither of its checksums never gets its name; the MD5 decides where they disagree', async () => {
  const bend = (line: string): string => bent(line, 'xxh64');

  expect((await restoreWith(bend)).failed).toEqual([]);
  const { failed } = await restoreWith((line) => bent(bend(line), 'md5'));
  expect(failed.map(({ path }) => path).toSorted()).toEqual(PATHS);
  expect((await restoreWith((line) => bent(bend(line), 'md5'), false)).failed).toEqual([]);
});

test('the MD5 is asked where no XXH64 was recorded, and of small files', async () => {
  const bend = (line: string): string => bent(line, 'md5');

  expect((await restoreWith(bend)).failed.map(({ path }) => path).toSorted()).toEqual(['small']);
  const { failed } = await restoreWith((line) => bend(line.replace(/,"xxh64":"[0-9a-f]*"/, '')));
  expect(failed.map(({ path }) => path).toSorted()).toEqual(PATHS);
});
