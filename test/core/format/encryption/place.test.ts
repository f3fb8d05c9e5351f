import { expect, test } from 'vitest';
import { placeOf } from '../../../../src/core/format/encryption/place.js';
import { asUploadId } from '../../../support/as-upload-id.js';

test.each([
  ['s3://bucket', 'uploads/U'],
  ['s3://bucket/lab/data', 'uploads/U'],
  ['s3://bucket/writers/nas-1', 'writers/nas-1/uploads/U'],
  ['s3://copy/other/place/writers/nas-1', 'writers/nas-1/uploads/U'],
  ['file:///mnt/copy/writers/nas-1', 'writers/nas-1/uploads/U'],
  ['s3://writers/nas-1', 'uploads/U'],
  ['s3://bucket/my-writers/nas-1', 'uploads/U'],
  ['s3://bucket/writers/nas-1/deeper', 'uploads/U'],
])('an upload below %s is at %s, whatever the bucket', (url, place) => {
  expect(placeOf(url, asUploadId('U'))).toBe(place);
});
