// An object with SSE-KMS is refused for its key, in the words of S3.
import { expect, test } from 'vitest';
import { s3Error } from '../../../../src/core/store/s3/s3-errors.js';

test.each([
  ['PutObject', 's3:PutObject', 'kms:GenerateDataKey'],
  ['GetObject', 's3:GetObject', 'kms:Decrypt'],
])('%s that is denied for the key names the action that KMS wants', (operation, action, wanted) => {
  const message = `User: arn:aws:iam::1:user/nas is not authorized to perform: ${wanted} on resource: arn:aws:kms:us-east-1:1:key/k because no identity-based policy allows it`;
  const answer = Object.assign(new Error(message), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });

  expect(s3Error(answer, { operation, action, bucket: 'b', key: 'k' })).toMatchObject({
    code: 'access-denied',
    message: `${operation} s3://b/k: access to its KMS key is denied (${wanted})`,
    hint: `the credentials need ${wanted} on the KMS key of s3://b/k`,
  });
});
