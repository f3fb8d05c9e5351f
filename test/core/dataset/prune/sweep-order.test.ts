import { expect, test } from 'vitest';
import { byDeletionOrder } from '../../../../src/core/dataset/prune/sweep.js';

const object = (key: string) => ({
  key: `uploads/${key}`,
  sizeBytes: 1,
  etag: key,
  lastModified: new Date(0),
  storageClass: 'STANDARD',
});

test('manifests go before segments, these before chunks, and what builds on another before that one, whatever their ids say', () => {
  const ordinals = new Map([
    ['20261122-210749-ffffffff', 1],
    ['20261122-210750-ffffffff', 2],
    ['20261122-210750-00000001', 3], // of the same second
    ['20261101-000000-00000000', 4], // begun long before, interrupted, and continued
  ]);
  const objects = [
    '20261101-000000-00000000/shard-00/chunk-000000.tar.zst',
    '20261122-210749-ffffffff/manifest/000001-0123abcd.json.gz',
    '20261122-210749-ffffffff/manifest.json.gz',
    '20261101-000000-00000000/manifest.json.gz',
    '20261122-210750-ffffffff/manifest.json.gz',
    '20261122-210750-00000001/manifest.json.gz',
    '20260101-000000-00000000/manifest.json.gz', // no version, built on the newest
  ].map(object);

  expect(objects.toSorted(byDeletionOrder(ordinals)).map(({ etag }) => etag)).toEqual([
    '20260101-000000-00000000/manifest.json.gz',
    '20261101-000000-00000000/manifest.json.gz',
    '20261122-210750-00000001/manifest.json.gz',
    '20261122-210750-ffffffff/manifest.json.gz',
    '20261122-210749-ffffffff/manifest.json.gz',
    '20261122-210749-ffffffff/manifest/000001-0123abcd.json.gz',
    '20261101-000000-00000000/shard-00/chunk-000000.tar.zst',
  ]);
});
