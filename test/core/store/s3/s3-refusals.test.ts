// What a store refuses, and stores at other addresses or with fewer abilities.
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFaultProxy } from '../../../faults/fault-proxy.js';
import { failure, OPERATIONS, useBrokenS3, type OperationName } from '../../../support/broken-s3.js';
import { openTestS3 } from '../../../support/open-s3.js';
import { listAll } from '../conformance.js';

const s3 = useBrokenS3();
const text = (value: string): Buffer => Buffer.from(value);

describe('refusals', () => {
  it.each<[OperationName, string]>([
    ['PutObject', 's3:PutObject'],
    ['CopyObject', 's3:PutObject and s3:GetObject'],
    ['ListMultipartUploads', 's3:ListBucketMultipartUploads'],
    ['AbortMultipartUpload', 's3:AbortMultipartUpload'],
    ['GetObject', 's3:GetObject'],
    ['HeadObject', 's3:GetObject'],
    ['ListObjectsV2', 's3:ListBucket'],
    ['DeleteObjects', 's3:DeleteObject'],
    ['RestoreObject', 's3:RestoreObject'],
  ])('%s denied: names the object and %s', async (operation, action) => {
    s3.prepare();
    s3.proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const { store } = await s3.open();

    const error = await failure(OPERATIONS[operation](store));

    expect(error).toMatchObject({ code: 'access-denied', attempts: 1 });
    expect(error.message).toContain('s3://bucket/p');
    expect(error.hint).toContain(action);
    expect(s3.proxy.counts.get(operation)).toBe(1);
  });

  it('takes the answer that a bucket is there already for that of a server that does not know the request', async () => {
    const fault = { kind: 'status', status: 409, code: 'BucketAlreadyExists' } as const;
    s3.proxy.inject({ operation: 'PutBucketLifecycleConfiguration', fault });
    const { lifecycle } = await s3.open();
    const rules = [{ ID: 'one', Status: 'Enabled', Expiration: { Days: 1 } }];

    const error = await failure(lifecycle?.write({ rules }) ?? Promise.resolve());

    expect(error).toMatchObject({ code: 'unsupported', attempts: 1 });
    expect(error.message).toContain('the store does not support this request');
  });

  it('says that an object answered with 403 may be missing', async () => {
    s3.proxy.inject({ fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const { store } = await s3.open();

    expect((await failure(store.get('k'))).message).toContain(
      'the object is missing and these credentials have no permission to list',
    );
    expect((await failure(store.head('k'))).message).toContain(
      'the object is missing and these credentials have no permission to list',
    );
  });

  it.each([
    ['ExpiredToken', 400, /expired/, /renew/],
    ['RequestTimeTooSkewed', 403, /clock/, /set the clock/],
    ['InvalidAccessKeyId', 403, /does not accept these credentials/, /--profile/],
    ['UserSuspended', 403, /does not accept these credentials/, /--profile/],
    ['SignatureDoesNotMatch', 403, /does not accept these credentials/, /secret key/],
  ])('explains %s', async (code, status, message, hint) => {
    s3.proxy.inject({ fault: { kind: 'status', status, code } });
    const { store } = await s3.open();

    const error = await failure(store.put('k', text('x')));

    expect(error).toMatchObject({ code: 'credentials', attempts: 1 });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  it.each([
    ['ExpiredToken', 'credentials', /expired/],
    ['InvalidToken', 'credentials', /does not accept these credentials/],
    ['KeyTooLongError', 'store', /KeyTooLongError/],
  ])('learns from a GET why a HEAD was answered with a bare 400: %s', async (code, kind, message) => {
    s3.put('k', 'x');
    s3.proxy.inject({ fault: { kind: 'status', status: 400, code } });
    const { store } = await s3.open();

    const error = await failure(store.head('k'));

    expect(error).toMatchObject({ code: kind, attempts: 1 });
    expect(error.message).toMatch(message);
    expect(Object.fromEntries(s3.proxy.counts)).toEqual({ HeadObject: 1, GetObject: 1 });
  });

  it('takes no HEAD from another time for a refusal', async () => {
    const fault = {
      kind: 'status',
      status: 403,
      headers: { date: new Date(Date.now() - 3_600_000).toUTCString() },
    } as const;
    s3.proxy.inject({ operation: 'HeadObject', fault });
    const { store } = await s3.open();

    expect(await failure(store.head('k'))).toMatchObject({ code: 'credentials', isRefused: false });
  });

  it('says of a HEAD answered with 400 what it was, where a GET is given', async () => {
    s3.put('k', 'x');
    s3.proxy.inject({ operation: 'HeadObject', fault: { kind: 'status', status: 400 } });
    const { store } = await s3.open();

    expect((await failure(store.head('k'))).message).toContain('HeadObject s3://bucket/p/k: the store answered 400');
  });

  it('repeats a word that it does not know, whatever word it is', async () => {
    s3.proxy.inject({ fault: { kind: 'status', status: 400, code: 'constructor' } });
    const { store } = await s3.open();

    const error = await failure(store.put('k', text('x')));

    expect(error.code).toBe('store');
    expect(error.message).toContain('the store answered 400 constructor');
  });

  it('names cold storage and the lack of expedited capacity', async () => {
    s3.put('cold', text('x'), 'DEEP_ARCHIVE');
    s3.proxy.inject({
      operation: 'RestoreObject',
      fault: { kind: 'status', status: 503, code: 'GlacierExpeditedRetrievalNotAvailable' },
    });
    const { store } = await s3.open();

    expect(await failure(store.get('cold'))).toMatchObject({ code: 'cold-storage' });
    expect((await failure(store.thaw('cold', { days: 1, tier: 'expedited' }))).message).toContain(
      'expedited retrieval capacity',
    );
  });

  it.each([
    ['uploads/u/shard-00/chunk-000000.tar.zst', 'archiver restore s3://bucket/p/uploads/u ./out --all'],
    ['uploads/u/manifest.json.gz', 'aws s3api restore-object --bucket bucket --key p/uploads/u/manifest.json.gz '],
    ["versions/it's", `aws s3api restore-object --bucket bucket --key 'p/versions/it'"'"'s' `],
  ])('names the command that asks %s back', async (key, command) => {
    s3.put(key, text('x'), 'GLACIER');
    const { store } = await s3.open();

    expect((await failure(store.get(key))).hint).toContain(command);
  });

  it('thaws: started, then already; already for what is not cold', async () => {
    s3.put('cold', text('x'), 'GLACIER');
    s3.put('warm', text('x'));
    const { store } = await s3.open();
    const options = { days: 2, tier: 'bulk' } as const;

    expect(await store.thaw('cold', options)).toBe('started');
    expect(await store.thaw('cold', options)).toBe('already');
    expect(await store.thaw('warm', options)).toBe('already');
    expect(await store.head('cold')).toMatchObject({ storageClass: 'GLACIER', restore: { inProgress: true } });
    expect((await listAll(store, { prefix: 'cold', withRestoreStatus: true })).infos).toMatchObject([
      { restore: { inProgress: true } },
    ]);
  });
});

describe('other addresses, other servers', () => {
  it.each([
    [301, 'PermanentRedirect'],
    [307, 'TemporaryRedirect'],
    [400, 'AuthorizationHeaderMalformed'],
  ])('names the right region on %i %s and follows no redirect', async (status, code) => {
    const elsewhere = await startFaultProxy();
    onTestFinished(() => elsewhere.close());
    s3.proxy.inject({
      fault: {
        kind: 'status',
        status,
        code,
        headers: { location: elsewhere.endpoint, 'x-amz-bucket-region': 'eu-west-1' },
      },
    });
    const { store } = await s3.open();

    const error = await failure(store.put('k', text('x')));

    expect(error.message).toContain('the bucket is in region eu-west-1, not us-east-1');
    expect(error.hint).toBe('use --region eu-west-1');
    expect(elsewhere.counts.size).toBe(0);
  });

  it('names a bucket that does not exist', async () => {
    const { store } = await openTestS3(s3.server.endpoint, 'no-such-bucket');

    expect((await failure(listAll(store))).message).toContain('there is no bucket no-such-bucket');
    expect(await failure(store.put('k', text('x')))).toMatchObject({ code: 'not-found' });
    expect(await failure(store.get('k'))).toMatchObject({ code: 'not-found', reason: 'NoSuchBucket' });
  });

  it.each(['bucket', 'my.dotted.bucket'])('uses path-style addresses with an endpoint: %s', async (bucket) => {
    s3.server.buckets.set(bucket, new Map());
    // With an IP address the SDK has no choice; with a name it would make a host name of the bucket.
    const endpoint = s3.server.endpoint.replace('127.0.0.1', 'localhost');
    const { store } = await openTestS3(endpoint, bucket, { prefix: 'p' });

    await store.put('k', text('x'));

    expect(s3.server.requests.at(-1)).toMatchObject({
      path: `/${bucket}/p/k?x-id=PutObject`,
      headers: { host: endpoint.slice('http://'.length) },
    });
  });

  it('sends no checksum that a look-alike might refuse', async () => {
    const { store } = await s3.open();

    await store.put('k', text('x'));

    const names = s3.server.requests.slice(-1).flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => /checksum|trailer|aws-chunked/.test(name))).toEqual([]);
  });

  it('lists a server that knows only version 1', async () => {
    const keys = Array.from({ length: 1500 }, (_, index) => `k +%${String(index).padStart(5, '0')}`);
    for (const key of keys) s3.put(key, text(''));
    s3.proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 501, code: 'NotImplemented' } });
    const { store } = await s3.open();

    expect((await listAll(store)).keys).toEqual(keys);
    expect(s3.proxy.counts.get('ListObjects')).toBe(2);
  });

  it('takes the endpoint from AWS_ENDPOINT_URL_S3, then AWS_ENDPOINT_URL', async () => {
    s3.put('k', text('x'));
    const env = { AWS_ENDPOINT_URL_S3: s3.proxy.endpoint, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const { store } = await openTestS3(undefined as never, 'bucket', { env, prefix: 'p' });

    expect(await store.head('k')).toBeDefined();
  });

  it('uses the default region with an endpoint when nothing names one', async () => {
    const { region } = await s3.open({ region: undefined, defaultRegion: 'eu-central-1' });

    expect(region).toBe('eu-central-1');
    expect(s3.proxy.counts.size).toBe(0);
  });
});
