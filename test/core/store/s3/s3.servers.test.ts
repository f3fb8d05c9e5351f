// What only a real gateway can tell: signatures, conditions and checksums as it sees them.
import { createHash } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readAll } from '../../../../src/core/store/read-content.js';
import { startFaultProxy } from '../../../faults/fault-proxy.js';
import { failure } from '../../../support/broken-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';

const BUCKET = 'archiver-store';
const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
const text = (value: string): Buffer => Buffer.from(value);

beforeAll(async () => {
  useTestCredentials();
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
});

describe('S3 store on the Ceph gateway', () => {
  it('refuses a body that does not fit the hash that was signed', async () => {
    const { store } = await openTestS3(endpoint, BUCKET);
    const sha256 = createHash('sha256').update('other').digest('hex');

    await failure(store.put('k', text('body'), { sha256 }));

    expect(await store.head('k')).toBeUndefined();
  });

  it('accepts signed requests through the fault proxy, and survives what it does', async () => {
    const proxy = await startFaultProxy(endpoint);
    onTestFinished(() => proxy.close());
    const { store } = await openTestS3(proxy.endpoint, BUCKET, { watchdog: { stallMs: 300 } });
    const body = Buffer.alloc(3_000_000, 'abc');
    proxy.inject({ operation: 'PutObject', fault: { kind: 'cut-request', afterBytes: 100_000 }, times: 1 });
    proxy.inject({ operation: 'PutObject', fault: { kind: 'corrupt-request', byte: 7 }, times: 1 });
    proxy.inject({ operation: 'GetObject', fault: { kind: 'cut-response', afterBytes: 1_000_000 }, times: 1 });
    proxy.inject({ operation: 'GetObject', fault: { kind: 'stall-response', afterBytes: 500_000 }, times: 1 });

    await store.put('k', body);

    expect((await readAll(await store.get('k'), body.length)).equals(body)).toBe(true);
    expect(proxy.counts.get('PutObject')).toBe(3);
    expect(proxy.counts.get('GetObject')).toBe(3);
  });

  it.each([100, 4_000_000])(
    'tells bad credentials from a lost connection, also with a body of %i bytes',
    async (size) => {
      const { store } = await openTestS3(endpoint, BUCKET);
      const keys = { id: process.env['AWS_ACCESS_KEY_ID'], secret: process.env['AWS_SECRET_ACCESS_KEY'] };
      process.env['AWS_SECRET_ACCESS_KEY'] = 'not the secret';
      onTestFinished(() => {
        process.env['AWS_SECRET_ACCESS_KEY'] = keys.secret;
      });

      expect(await failure(store.put('k', Buffer.alloc(size)))).toMatchObject({ code: 'credentials', attempts: 1 });
    },
  );

  it('keeps the storage class', async () => {
    const { store } = await openTestS3(endpoint, BUCKET);

    await store.put('cold', text('x'), { storageClass: 'STANDARD_IA', contentType: 'text/plain' });

    expect(await store.head('cold')).toMatchObject({ storageClass: 'STANDARD_IA' });
  });

  it('encrypts with a KMS key', async () => {
    const { store } = await openTestS3(endpoint, BUCKET);

    await store.put('secret', text('x'), { kmsKeyId: 'testkey-1' });

    expect((await readAll(await store.get('secret'), 1)).toString()).toBe('x');
  });

  it('names a missing bucket', async () => {
    const { store } = await openTestS3(endpoint, 'no-such-bucket-here');

    expect(await failure(store.put('k', text('x')))).toMatchObject({ code: 'not-found', reason: 'NoSuchBucket' });
  });
});
