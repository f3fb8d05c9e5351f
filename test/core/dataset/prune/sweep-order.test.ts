import { expect, test } from 'vitest';
import { inOrderOfDeletion } from '../../../../src/core/dataset/prune/sweep.js';

const object = (key: string, putMs: number) => ({
  key: `uploads/${key}`,
  sizeBytes: 1,
  etag: key,
  lastModified: new Date(putMs),
  storageClass: 'STANDARD',
});

test('manifests go before chunks, and what builds on another before that one, also of the same second', () => {
  const objects = [
    object('20261122-210750-00000001/shard-00/chunk-000000.tar.zst', 500),
    // Rewritten long after others were built on it.
    object('20261122-210749-ffffffff/manifest.json.gz', 9000),
    object('20261122-210750-ffffffff/manifest.json.gz', 1000),
    object('20261122-210750-00000001/manifest.json.gz', 1200),
    object('20261122-210751-00000000/manifest.json.gz', 2000),
  ];

  expect(objects.toSorted(inOrderOfDeletion).map(({ etag }) => etag)).toEqual([
    '20261122-210751-00000000/manifest.json.gz',
    '20261122-210750-00000001/manifest.json.gz',
    '20261122-210750-ffffffff/manifest.json.gz',
    '20261122-210749-ffffffff/manifest.json.gz',
    '20261122-210750-00000001/shard-00/chunk-000000.tar.zst',
  ]);
});
