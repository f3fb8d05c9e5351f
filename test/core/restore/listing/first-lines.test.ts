import { expect, test } from 'vitest';
import { firstLines } from '../../../../src/core/restore/listing/first-lines.js';
import { loadListing } from '../../../../src/core/restore/listing/load-listing.js';
import { FrameCache } from '../../../../src/core/restore/frame-cache.js';
import { openedListing } from '../../../support/browse-listing.js';
import { type FileSpec, makeArchive, UPLOAD_ID } from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { tempFolder } from '../../../support/temp-folder.js';

async function preview(file: Omit<FileSpec, 'path'>, storageClass = 'STANDARD') {
  const { objects } = makeArchive({
    files: [{ path: 'file', ...file }],
    bend: ({ chunks }) => chunks.forEach((chunk) => (chunk['storageClass'] = storageClass)),
  });
  const reader = memoryReader(objects);
  const listing = await loadListing(reader, { uploadId: UPLOAD_ID });
  const cache = new FrameCache({ folder: await tempFolder(), limitBytes: 1e9 });
  const found = await firstLines(openedListing(listing), 0, { reader, cache, signal: new AbortController().signal });
  await cache.settled();
  return found;
}

test('gives the lines of a short text, without an empty one at the end', async () => {
  expect(await preview({ content: 'one\r\ntwo\n\nfour\n' })).toEqual({
    kind: 'text',
    lines: ['one', 'two', '', 'four'],
    isCut: false,
  });
});

test('reads no more of a long one than its first lines need', async () => {
  const content = Array.from({ length: 100_000 }, (_, n) => `line ${n}`).join('\n');

  const found = await preview({ content });

  expect(found).toMatchObject({ kind: 'text', isCut: true });
  expect(found.kind === 'text' ? [found.lines[0], found.lines.length] : []).toEqual(['line 0', 60]);
});

test('cuts a line that does not end', async () => {
  const found = await preview({ content: 'x'.repeat(50_000) });

  expect(found.kind === 'text' ? found.lines.map(({ length }) => length) : []).toEqual([1024]);
});

test.each([
  ['an empty file', { content: '' }, 'STANDARD'],
  ['not text', { content: Buffer.from([1, 0, 2]) }, 'STANDARD'],
  ['a directory has no lines', { type: 'directory' }, 'STANDARD'],
  ['a symlink has no lines', { type: 'symlink', target: 'x' }, 'STANDARD'],
  ['in GLACIER: not readable until it is restored', { content: 'x' }, 'GLACIER'],
] as const)('says why there are none: %s', async (reason, file, storageClass) => {
  expect(await preview(file, storageClass)).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining(reason) as string,
  });
});
