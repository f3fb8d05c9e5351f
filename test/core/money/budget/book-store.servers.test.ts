// Against the Ceph gateway.
import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { usedIn, withBudget, withUse } from '../../../../src/core/money/budget/budget.js';
import { changeBook, readBook } from '../../../../src/core/money/budget/book-store.js';
import { emptyBudget, runUse } from '../../../support/budget.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';

const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
const NOW = new Date('2026-03-04T05:06:07Z');
const { signal } = new AbortController();
const bucket = `budget-${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  useTestCredentials();
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
});

test('twenty writers at once lose nothing in a bucket', async () => {
  const prefix = 'shared';
  const { store } = await openTestS3(endpoint, bucket, { prefix });
  const begun = emptyBudget(NOW);
  await changeBook(store, (book) => withBudget(book, null, begun), signal);

  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const own = await openTestS3(endpoint, bucket, { prefix });
      return await changeBook(own.store, (book) => withUse(book, null, runUse(NOW, { costUsd: 1, bytes: 10 })), signal);
    }),
  );

  expect(usedIn((await readBook(store, signal)).global!, NOW)).toEqual({ micros: 20e6, bytes: 200, unpriced: 0 });
});
