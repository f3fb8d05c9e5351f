import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeFence, FENCE_BYTES, isFence, isFenceObject } from '../../../../src/core/format/manifest/fence.js';
import { fetchManifest } from '../../../../src/core/format/manifest/loaded-manifest.js';
import { readManifestFront } from '../../../../src/core/format/manifest/manifest-front.js';
import { readManifest } from '../../../../src/core/format/manifest/manifest-reader.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { makeChain } from '../../../support/make-chain.js';
import { memoryReader } from '../../../support/memory-reader.js';

const ID = asUploadId('20260102-030405-1a2b3c4d');

test('a fence says which upload it ends, and always has the same length', () => {
  const fence = encodeFence(ID, new Date('2026-03-04T05:06:07.000Z'));

  expect(fence.toString()).toBe(
    '{"format":1,"type":"archiver-fence","uploadId":"20260102-030405-1a2b3c4d","fencedAt":"2026-03-04T05:06:07.000Z"}\n',
  );
  expect(fence).toHaveLength(FENCE_BYTES);
  expect(isFence(fence)).toBe(true);
});

test('a fence of a later archiver is one as well', () => {
  expect(isFence(Buffer.from('{"format":7,"type":"archiver-fence","more":[1,2]}'))).toBe(true);
});

test.each([
  ['a manifest', gzipSync('{"format":1,"type":"archiver-fence"}')],
  ['another document', Buffer.from('{"format":1,"type":"archiver-sweep"}')],
  ['half of one', Buffer.from('{"format":1,"type":"archiver-fe')],
  ['nothing', Buffer.alloc(0)],
  ['something too long', Buffer.from(`{"type":"archiver-fence","a":"${'x'.repeat(5000)}"}`)],
])('%s is no fence', (_, bytes) => {
  expect(isFence(bytes)).toBe(false);
});

test('the smallest manifest is longer than a fence, so that a listing tells them apart', () => {
  const objects = [...makeChain([{ files: [] }]).objects];
  const [, manifest = Buffer.alloc(0)] = objects.find(([key]) => key.endsWith('/manifest.json.gz')) ?? [];

  expect(manifest.length).toBeGreaterThan(2 * FENCE_BYTES);
  expect(isFenceObject({ key: `uploads/${ID}/manifest.json.gz`, sizeBytes: manifest.length })).toBe(false);
  expect(isFenceObject({ key: `uploads/${ID}/manifest.json.gz`, sizeBytes: FENCE_BYTES })).toBe(true);
  expect(isFenceObject({ key: `uploads/${ID}/manifest.json.gz.bak`, sizeBytes: FENCE_BYTES })).toBe(false);
});

test('reading an upload whose manifest is a fence says that it was given up and swept', async () => {
  const reader = memoryReader(new Map([[`uploads/${ID}/manifest.json.gz`, encodeFence(ID, new Date())]]));

  for (const reading of [
    readManifest(reader, { uploadId: ID }),
    readManifestFront(reader, ID),
    fetchManifest(reader, ID),
  ])
    await expect(reading).rejects.toMatchObject({
      code: 'not-found',
      message: `upload ${ID} was given up before it became a version, and a prune swept it`,
    });
});
