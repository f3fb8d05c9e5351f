// What is different on AWS itself (no endpoint given): the region may be found out, checksums are sent, ETags are quoted.
// The client is pointed at the in-process server by hand, which the store does not know.
import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { readAll } from '../../../../src/core/store/read-content.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { detectBucketRegion } from '../../../../src/core/store/s3/s3-region.js';
import { s3Store } from '../../../../src/core/store/s3/s3-store.js';
import { failure, useBrokenS3 } from '../../../support/broken-s3.js';

const s3 = useBrokenS3();
const clientIn = (region: string): S3Client =>
  new S3Client({ endpoint: s3.proxy.endpoint, forcePathStyle: true, region, maxAttempts: 1 });

function awsStore(isRegionGiven: boolean): { readonly store: ObjectStore; readonly asked: string[] } {
  const asked: string[] = [];
  const inRegion = (region: string): S3Client => {
    asked.push(region);
    return clientIn(region);
  };
  const connection = {
    client: clientIn('us-east-1'),
    region: 'us-east-1',
    isRegionGiven,
    endpoint: undefined,
    inRegion,
    clockAheadMs: () => 0,
    close: () => undefined,
  };
  return { store: s3Store(connection, { bucket: 'bucket', prefix: 'p' }), asked };
}

describe('S3 store on AWS', () => {
  const elsewhere = {
    kind: 'status',
    status: 301,
    code: 'PermanentRedirect',
    headers: { 'x-amz-bucket-region': 'eu-west-1' },
  } as const;

  it('asks once in the right region when the region was a guess, and stays there', async () => {
    s3.proxy.inject({ fault: elsewhere, times: 1 });
    const { store, asked } = awsStore(false);

    await store.put('k', Buffer.from('x'));
    await store.put('l', Buffer.from('x'));

    expect(asked).toEqual(['eu-west-1']);
    expect(s3.proxy.counts.get('PutObject')).toBe(3);
    expect(s3.server.requests.at(-1)?.headers.authorization).toContain('/eu-west-1/s3/');
  });

  it('does not go elsewhere when the region was given, and not twice', async () => {
    s3.proxy.inject({ fault: elsewhere });
    const { store: given, asked: never } = awsStore(true);
    const { store: guessed, asked: once } = awsStore(false);

    expect((await failure(given.put('k', Buffer.from('x')))).hint).toBe('use --region eu-west-1');
    expect((await failure(guessed.put('k', Buffer.from('x')))).message).toContain('redirects');
    expect(never).toEqual([]);
    expect(once).toEqual(['eu-west-1']);
  });

  it.each([200, 301, 403, 404])('learns the region of a bucket from a %i', async (status) => {
    s3.proxy.inject({
      operation: 'HeadBucket',
      fault: { kind: 'status', status, headers: { 'x-amz-bucket-region': 'ap-south-1' } },
    });

    expect(await detectBucketRegion(clientIn('us-east-1'), 'bucket')).toBe('ap-south-1');
  });

  it('knows no region when the store names none', async () => {
    s3.proxy.inject({ operation: 'HeadBucket', fault: { kind: 'status', status: 403 } });

    expect(await detectBucketRegion(clientIn('us-east-1'), 'bucket')).toBeUndefined();
  });

  it('sends the known SHA-256 as the checksum, and lets the SDK compute one where none is known', async () => {
    const { store } = awsStore(true);
    const digest = createHash('sha256').update('body');
    const sha256 = digest.copy().digest('hex');

    await store.put('k', Buffer.from('body'), { sha256 });
    const known = s3.server.requests.at(-1)?.headers;
    await store.put('k', Buffer.from('body'));
    const computed = s3.server.requests.at(-1)?.headers;

    expect(known).toMatchObject({ 'x-amz-checksum-sha256': digest.digest('base64'), 'x-amz-content-sha256': sha256 });
    expect(known).not.toHaveProperty('x-amz-checksum-crc32');
    expect(computed).toHaveProperty('x-amz-checksum-crc32');
  });

  it('quotes the ETag of a condition, and tries it bare when that does not fit', async () => {
    const { store } = awsStore(true);
    const { etag } = await store.put('k', Buffer.from('body'));

    expect((await readAll(await store.get('k', { ifMatch: etag }), 4)).toString()).toBe('body');
    expect(s3.server.requests.at(-1)?.headers['if-match']).toBe(`"${etag}"`);

    s3.proxy.inject({
      operation: 'GetObject',
      fault: { kind: 'status', status: 412, code: 'PreconditionFailed' },
      times: 1,
    });
    expect((await readAll(await store.get('k', { ifMatch: etag }), 4)).toString()).toBe('body');
    expect(s3.server.requests.at(-1)?.headers['if-match']).toBe(etag);
  });
});
