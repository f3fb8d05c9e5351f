import { expect, test } from 'vitest';
import { isSecretName, withoutSecrets } from '../../../../src/core/platform/failures/hide-secrets.js';

test.each([
  ['https://me:pw@host:9000/a', 'https://(hidden)@host:9000/a'],
  ['https://token@host', 'https://(hidden)@host'],
  ['https://me:p/w@d?@host/a', 'https://(hidden)@host/a'],
  ['s3://key:pw@bucket/team@2024/x', 's3://(hidden)@bucket/team@2024/x'],
  ['s3://bucket/team@2024/x', 's3://bucket/team@2024/x'],
  ['file:///home/me@lab/x', 'file:///home/me@lab/x'],
  ['http://h/?X-Amz-Signature=abc&x=1#access_key=d', 'http://h/?X-Amz-Signature=(hidden)&x=1#access_key=(hidden)'],
  ['see https://a:b@c and https://d', 'see https://(hidden)@c and https://d'],
  ['me@example.org', 'me@example.org'],
  ['it failed: token=abc', 'it failed: token=(hidden)'],
  ['password: a=b', 'password: (hidden)'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});

test('what stands under the name of a secret is one', () => {
  const secret = ['password', 'DB_PASSWORD', 'aws-secret-access-key', 'sessionToken', 'apiKey', 'pass', 'accessKeyId'];
  const plain = ['kmsKeyId', 'key', 'compass', 'passive', 'keepTemp', 'prefix'];

  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
  expect(plain.filter(isSecretName)).toEqual([]);
});
