import { expect, test } from 'vitest';
import { seedsOf } from '../../../../src/core/format/chunk/content-seeds.js';
import { seedOf } from '../../../../src/core/format/chunk/seeded-hash.js';
import { asUploadId } from '../../../support/as-upload-id.js';

test('the seed of a content is that of the upload in whose folder it lies, whatever manifest lists it', () => {
  const [own, other] = [asUploadId('20260101-000000-00000001'), asUploadId('20260101-000000-00000002')];
  const chunks = ['shard-00/chunk-000000.tar.zst', `../${other}/files/a`].map((key) => ({ key }));
  const seeds = seedsOf(own, chunks);

  expect([seeds(0), seeds(1), seeds(2)]).toEqual([seedOf(own), seedOf(other), undefined]);
  expect(seedOf(own)).not.toBe(seedOf(other));
});
