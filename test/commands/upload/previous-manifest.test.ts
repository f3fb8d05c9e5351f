import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readPreviousManifest } from '../../../src/commands/upload/previous-manifest.js';
import { encodeHeader } from '../../../src/core/format/encryption/envelope.js';
import { makeArchive, UPLOAD_ID } from '../../support/make-archive.js';
import { tempFolder } from '../../support/temp-folder.js';

const text = JSON.stringify(makeArchive({ files: [{ path: 'a', content: 'a' }] }).manifest);

test.each([
  ['as it is', (bytes: Buffer) => bytes],
  ['packed', (bytes: Buffer) => gzipSync(bytes)],
])('a manifest %s names its upload; one whose head is not UTF-8 is refused', async (_name, pack) => {
  const file = join(await tempFolder(), 'manifest');
  writeFileSync(file, pack(Buffer.from(text)));
  expect(readPreviousManifest(file).uploadId).toBe(UPLOAD_ID);

  const bent = text.replace('"source":{', '"note":"caf\xe9","source":{');
  expect(bent).not.toBe(text);
  writeFileSync(file, pack(Buffer.from(bent, 'latin1')));
  expect(() => readPreviousManifest(file)).toThrow(`--prev-manifest ${file} is not UTF-8`);
});

test('an encrypted manifest names its upload itself; what cannot be one never becomes a key', async () => {
  const file = join(await tempFolder(), 'manifest');
  const header = { contentBytes: 0, kmsKeyId: 'k', wrappedKey: Buffer.alloc(32) };
  writeFileSync(file, encodeHeader({ ...header, place: `uploads/${UPLOAD_ID}` }));
  expect(readPreviousManifest(file).uploadId).toBe(UPLOAD_ID);

  writeFileSync(file, encodeHeader({ ...header, place: 'uploads/..' }));
  expect(() => readPreviousManifest(file)).toThrow(`--prev-manifest ${file} does not name its upload`);
});

test('what cannot be read is named, and why, in words', async () => {
  const folder = await tempFolder();
  const missing = join(folder, 'none');

  expect(() => readPreviousManifest(missing)).toThrow(
    expect.objectContaining({
      code: 'not-found',
      message: `cannot read --prev-manifest ${missing}: there is no such file`,
    }),
  );
  expect(() => readPreviousManifest(folder)).toThrow(
    expect.objectContaining({
      code: 'io',
      message: `cannot read --prev-manifest ${folder}: it is a folder, not a file`,
    }),
  );
});
