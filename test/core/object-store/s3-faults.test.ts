// T05, T06, T08, T12, T13 at the level of the store: the real SDK over HTTP, a proxy that breaks things.
import { createHash } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { StoreError } from '../../../src/core/object-store/store-error.js';
import type { TransferEvent } from '../../../src/core/events.js';
import type { ObjectStore } from '../../../src/core/object-store/object-store.js';
import type { OpenedStore, OpenStoreOptions } from '../../../src/core/object-store/open-store.js';
import { readAll } from '../../../src/core/object-store/read-content.js';
import type { Fault } from '../../faults/fault.js';
import { startFaultProxy, type FaultProxy } from '../../faults/fault-proxy.js';
import { startMemoryS3, type MemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { listAll } from './conformance.js';

let server: MemoryS3;
let proxy: FaultProxy;
const text = (value: string): Buffer => Buffer.from(value);

beforeAll(async () => {
  useTestCredentials();
  server = await startMemoryS3('bucket');
  proxy = await startFaultProxy(server.endpoint);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(() => {
  proxy.clear();
  server.buckets.set('bucket', new Map());
});

const open = (options: Partial<OpenStoreOptions> & { prefix?: string } = {}): Promise<OpenedStore> =>
  openTestS3(proxy.endpoint, 'bucket', { prefix: 'p', ...options });
const put = (key: string, body: Buffer, storageClass?: string): void => {
  const etag = createHash('md5').update(body).digest('hex');
  server.buckets.get('bucket')?.set(`p/${key}`, {
    body,
    etag,
    modified: new Date(),
    headers: storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass },
  });
};
const failure = async (promise: Promise<unknown>): Promise<StoreError> =>
  await promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error as StoreError,
  );

/** Each operation: how to run it, and whether it needs something prepared. */
const OPERATIONS: Readonly<Record<string, (store: ObjectStore) => Promise<unknown>>> = {
  PutObject: (store) => store.put('new', text('body')),
  CreateMultipartUpload: (store) => store.createMultipart('multi'),
  UploadPart: async (store) => store.uploadPart('multi', await store.createMultipart('multi'), 1, text('part')),
  CompleteMultipartUpload: async (store) => {
    const id = await store.createMultipart('multi');
    return await store.completeMultipart('multi', id, [await store.uploadPart('multi', id, 1, text('part'))]);
  },
  GetObject: async (store) => readAll(await store.get('there'), 100),
  HeadObject: (store) => store.head('there'),
  ListObjectsV2: (store) => listAll(store),
  DeleteObjects: (store) => store.delete(['there']),
  CopyObject: (store) => store.copy('there', 'copied'),
  RestoreObject: (store) => store.thaw('cold', { days: 1, tier: 'standard' }),
};
const FAULTS: Readonly<Record<string, Fault>> = {
  '500': { kind: 'status', status: 500, code: 'InternalError' },
  '502 without XML': { kind: 'status', status: 502, headers: { 'content-type': 'text/html' } },
  '503 SlowDown': { kind: 'status', status: 503, code: 'SlowDown' },
  '429': { kind: 'status', status: 429, code: 'TooManyRequests' },
  '400 RequestTimeout': { kind: 'status', status: 400, code: 'RequestTimeout' },
  'connection reset': { kind: 'reset' },
  'no answer': { kind: 'no-answer' },
};

const prepare = (): void => {
  put('there', text('there'));
  put('cold', text('cold'), 'GLACIER');
};
// A HEAD answer has no body: the code that makes a 400 retriable cannot be in it.
const isTold = (operation: string, fault: string): boolean =>
  !(operation === 'HeadObject' && fault === '400 RequestTimeout');
const cases = Object.keys(OPERATIONS).flatMap((operation) =>
  Object.keys(FAULTS)
    .filter((fault) => isTold(operation, fault))
    .map((fault) => [operation, fault] as const),
);

describe('T05: transient failures', () => {
  const options = { timeouts: { answerMs: 150 } };

  it.each(cases)('%s gets over %s', async (operation, faultName) => {
    prepare();
    const events: TransferEvent[] = [];
    const { store } = await open({ ...options, onEvent: (event) => events.push(event) });
    const fault = FAULTS[faultName];
    const times = faultName === 'no answer' ? 1 : 9;
    if (fault) proxy.inject({ operation, fault, times });

    await OPERATIONS[operation]?.(store);

    expect(proxy.counts.get(operation)).toBe(times + 1);
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(times);
  });

  it.each(cases)('%s gives up when %s does not end, naming operation and key', async (operation, faultName) => {
    prepare();
    const { store, requests } = await open({ timeouts: { answerMs: 20 } });
    const fault = FAULTS[faultName];
    if (fault) proxy.inject({ operation, fault });

    const error = await failure(OPERATIONS[operation]?.(store) ?? Promise.resolve());

    expect(proxy.counts.get(operation)).toBe(10);
    expect(error).toMatchObject({ attempts: 10, retriable: true });
    expect(error.message).toContain(operation.replace('V2', ''));
    expect(error.message).toContain('s3://bucket/p');
    expect(error.message).toContain('(tried 10 times)');
    expect(Object.values(requests).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(10);
  });

  it('stops at the total time, and between tries when cancelled', async () => {
    proxy.inject({ fault: { kind: 'status', status: 503 } });
    const { store } = await open({ retry: { baseDelayMs: 400, maxDelayMs: 400, maxTotalMs: 100 } });
    const { store: patient } = await open({ retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 } });

    expect(await failure(store.put('k', text('x')))).toMatchObject({ attempts: 1 });
    expect(await failure(patient.put('k', text('x'), { signal: AbortSignal.timeout(50) }))).toMatchObject({
      code: 'cancelled',
    });
  });

  it('waits as long as the server asks', async () => {
    proxy.inject({ fault: { kind: 'status', status: 503, headers: { 'retry-after': '1' } }, times: 1 });
    const { store } = await open();
    const startedAt = performance.now();

    await store.put('k', text('x'));

    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it.each([400, 403, 404])('does not repeat what a %i refuses', async (status) => {
    proxy.inject({ fault: { kind: 'status', status, code: 'InvalidRequest' } });
    const { store } = await open();

    expect(await failure(store.put('k', text('x')))).toMatchObject({ attempts: 1, retriable: false });
    expect(proxy.counts.get('PutObject')).toBe(1);
  });

  it('names a host that does not exist and one that refuses', async () => {
    const { store: unknown } = await open({
      endpointUrl: 'http://no-such-host.invalid',
      retry: { maxAttempts: 2, baseDelayMs: 1 },
    });
    const { store: closed } = await open({
      endpointUrl: 'http://127.0.0.1:1',
      retry: { maxAttempts: 2, baseDelayMs: 1 },
    });

    expect((await failure(unknown.put('k', text('x')))).message).toMatch(/no-such-host\.invalid.*DNS/);
    expect((await failure(closed.put('k', text('x')))).message).toContain('127.0.0.1:1 could not be reached');
  });

  it('names the host when TLS is cut or is not spoken there', async () => {
    const cut = net.createServer((socket) => socket.once('data', () => socket.destroy()));
    const plain = http.createServer((_request, response) => response.end());
    for (const one of [cut, plain]) {
      await new Promise<void>((resolve) => {
        one.listen(0, '127.0.0.1', resolve);
      });
      onTestFinished(() => void one.close());
      const { port } = one.address() as AddressInfo;
      const { store } = await open({
        endpointUrl: `https://127.0.0.1:${port}`,
        retry: { maxAttempts: 2, baseDelayMs: 1 },
      });

      const error = await failure(store.put('k', text('x')));

      expect(error.message).toContain(`127.0.0.1:${port}`);
      expect(error.attempts).toBe(2);
    }
  });

  it('repeats only the keys that could not be deleted', async () => {
    put('a', text('a'));
    const { store } = await open();
    const partial =
      '<DeleteResult><Error><Key>p/b</Key><Code>InternalError</Code></Error><Error><Key>p/c</Key><Code>AccessDenied</Code></Error></DeleteResult>';
    const canned = http.createServer((request, response) => {
      bodies.push('');
      request.on('data', (piece) => (bodies[bodies.length - 1] += String(piece)));
      request.on('end', () => response.end(bodies.length === 1 ? partial : '<DeleteResult/>'));
    });
    const bodies: string[] = [];
    await new Promise<void>((resolve) => {
      canned.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void canned.close());
    const { store: partly } = await open({ endpointUrl: `http://127.0.0.1:${(canned.address() as AddressInfo).port}` });

    const failures = await partly.delete(['a', 'b', 'c']);

    expect(failures.map(({ key }) => key)).toEqual(['c']);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('<Key>p/b</Key>');
    expect(bodies[1]).not.toContain('<Key>p/a</Key>');
    expect(await store.head('a')).toBeDefined();
  });

  it('takes up a listing where it broke off', async () => {
    const keys = Array.from({ length: 2500 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    for (const key of keys) put(key, text(''));
    proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'reset' }, skip: 1, times: 2 });
    const { store } = await open();

    expect((await listAll(store)).keys).toEqual(keys);
    expect(proxy.counts.get('ListObjectsV2')).toBe(5);
  });

  it('takes up a folded listing without showing a folder twice', async () => {
    for (let index = 0; index < 1500; index += 1) {
      put(`f${String(index).padStart(5, '0')}/a`, text(''));
      put(`f${String(index).padStart(5, '0')}/b`, text(''));
    }
    proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'reset' }, skip: 1, times: 1 });
    const { store } = await open();

    const { prefixes } = await listAll(store, { delimiter: '/' });

    expect(prefixes).toHaveLength(1500);
    expect(new Set(prefixes).size).toBe(1500);
  });
});

describe('lost answers', () => {
  it('marks the conflict of a repeated put-if-absent as uncertain, and of a first one as certain', async () => {
    proxy.inject({ operation: 'PutObject', fault: { kind: 'lost-answer' }, times: 1 });
    const { store } = await open();

    expect(await failure(store.put('record', text('mine'), { ifAbsent: true }))).toMatchObject({
      code: 'conflict',
      afterRetry: true,
    });
    expect(await failure(store.put('record', text('mine'), { ifAbsent: true }))).toMatchObject({
      code: 'conflict',
      afterRetry: false,
    });
  });

  it('retries a 409 of a conditional put', async () => {
    proxy.inject({
      operation: 'PutObject',
      fault: { kind: 'status', status: 409, code: 'ConditionalRequestConflict' },
      times: 2,
    });
    const { store } = await open();

    await store.put('record', text('mine'), { ifAbsent: true });

    expect(proxy.counts.get('PutObject')).toBe(3);
  });

  it('T07: an acknowledged put that was never done is visible to a listing', async () => {
    proxy.inject({ operation: 'PutObject', fault: { kind: 'ack' }, times: 1 });
    const { store } = await open();

    await store.put('chunk', text('x'));

    expect((await listAll(store)).keys).toEqual([]);
  });

  it('T06: takes a 200 with an error in it for an error, and repeats', async () => {
    proxy.inject({
      operation: 'CompleteMultipartUpload',
      fault: { kind: 'status', status: 200, code: 'InternalError' },
      times: 1,
    });
    const { store } = await open();

    await OPERATIONS['CompleteMultipartUpload']?.(store);

    expect(proxy.counts.get('CompleteMultipartUpload')).toBe(2);
    expect((await readAll(await store.get('multi'), 100)).toString()).toBe('part');
  });

  it('T06: fails when every 200 carries an error', async () => {
    proxy.inject({
      operation: 'CompleteMultipartUpload',
      fault: { kind: 'status', status: 200, code: 'AccessDenied' },
    });
    const { store } = await open();

    expect(await failure(OPERATIONS['CompleteMultipartUpload']?.(store) ?? Promise.resolve())).toMatchObject({
      code: 'access-denied',
    });
    expect(await store.head('multi')).toBeUndefined();
  });

  it('T06: finds its own object when the answer to the completion was lost', async () => {
    proxy.inject({ operation: 'CompleteMultipartUpload', fault: { kind: 'lost-answer' }, times: 1 });
    const { store } = await open();

    await OPERATIONS['CompleteMultipartUpload']?.(store);

    expect(proxy.counts.get('HeadObject')).toBe(1);
  });

  it("T06: does not take another writer's object for its own", async () => {
    proxy.inject({ operation: 'CompleteMultipartUpload', fault: { kind: 'reset' }, times: 1 });
    const { store } = await open();
    const id = await store.createMultipart('multi');
    const part = await store.uploadPart('multi', id, 1, text('part'));
    await store.abortMultipart('multi', id);
    put('multi', text('of another writer'));

    expect(await failure(store.completeMultipart('multi', id, [part]))).toMatchObject({
      code: 'not-found',
      reason: 'NoSuchUpload',
      afterRetry: true,
    });
  });

  it('sends the hash it was given, and learns when the bytes changed on the way', async () => {
    const sha256 = createHash('sha256').update('body').digest('hex');
    proxy.inject({ operation: 'PutObject', fault: { kind: 'corrupt-request', byte: 0 }, times: 1 });
    const { store } = await open();

    await store.put('k', text('body'), { sha256 });

    expect(proxy.counts.get('PutObject')).toBe(2);
    expect(
      server.requests.findLast(({ operation }) => operation === 'PutObject')?.headers['x-amz-content-sha256'],
    ).toBe(sha256);
    expect((await readAll(await store.get('k'), 4)).toString()).toBe('body');
  });
});

describe('T08: bodies that break', () => {
  const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const watchdog = { stallMs: 200 };

  it.each<[string, Fault]>([
    ['is cut', { kind: 'cut-response', afterBytes: 90_000 }],
    ['stalls', { kind: 'stall-response', afterBytes: 90_000 }],
    ['stalls before its first byte', { kind: 'stall-response', afterBytes: 1 }],
    ['drips', { kind: 'slow-response', bytesPerSecond: 200 }],
  ])('goes on by range when it %s', async (_name, fault) => {
    put('k', body);
    proxy.inject({ operation: 'GetObject', fault, times: 3 });
    const { store } = await open({ watchdog });

    expect((await readAll(await store.get('k'), body.length)).equals(body)).toBe(true);
    expect(proxy.counts.get('GetObject')).toBe(4);
    expect(server.requests.findLast(({ operation }) => operation === 'GetObject')?.headers['if-match']).toBeDefined();
  });

  it('goes on inside of a range that was asked for', async () => {
    put('k', body);
    proxy.inject({ operation: 'GetObject', fault: { kind: 'cut-response', afterBytes: 1000 }, times: 2 });
    const { store } = await open({ watchdog });

    const content = await store.get('k', { range: { suffix: 5000 } });

    expect((await readAll(content, 5000)).equals(body.subarray(-5000))).toBe(true);
  });

  it('gives up on a body that never moves', async () => {
    put('k', body);
    proxy.inject({ operation: 'GetObject', fault: { kind: 'stall-response', afterBytes: 10 } });
    const { store } = await open({ watchdog: { stallMs: 40 } });

    expect(await failure(store.get('k').then((content) => readAll(content, 1e6)))).toMatchObject({ code: 'stalled' });
    expect(proxy.counts.get('GetObject')).toBe(6);
  });

  it('does not take a slow reader for a stalled body', async () => {
    put('k', body);
    const { store } = await open({ watchdog: { stallMs: 40 } });
    const { body: stream } = await store.get('k');
    let received = 0;

    for await (const piece of stream as AsyncIterable<Buffer>) {
      received += piece.length;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }

    expect(received).toBe(body.length);
    expect(proxy.counts.get('GetObject')).toBe(1);
  });

  it('fails when the object changes between two ranges', async () => {
    put('k', body);
    proxy.inject({ operation: 'GetObject', fault: { kind: 'cut-response', afterBytes: 1000 }, times: 1 });
    const { store } = await open();
    const content = await store.get('k');
    put('k', Buffer.alloc(300_000));

    const error = await failure(readAll(content, 1e6));

    expect(error).toMatchObject({ code: 'conflict' });
    expect(error.message).toContain('s3://bucket/p/k was replaced while it was being read');
  });

  it('fails when a server without conditions gives another object', async () => {
    put('k', body);
    const { store } = await open();
    const { etag } = await store.put('k', body);
    proxy.inject({ operation: 'GetObject', fault: { kind: 'etag', etag: 'other' } });

    expect(await failure(store.get('k', { ifMatch: etag }))).toMatchObject({ code: 'conflict' });
  });

  it.each<[string, Fault]>([
    ['ignores the range (200)', { kind: 'range-ignored' }],
    ['gives another range', { kind: 'range-shifted', by: 1 }],
    ['gives a shorter range', { kind: 'shorten-response', bytes: 10 }],
  ])('asks again when the store %s, and fails when it always does', async (_name, fault) => {
    put('k', body);
    const range = { start: 100, end: 200 };
    const { store } = await open({ retry: { baseDelayMs: 1, maxDelayMs: 1, maxAttempts: 3 } });
    proxy.inject({ operation: 'GetObject', fault, times: 2 });
    expect((await readAll(await store.get('k', { range }), 100)).equals(body.subarray(100, 200))).toBe(true);

    proxy.clear();
    proxy.inject({ operation: 'GetObject', fault });
    expect((await failure(store.get('k', { range }))).message).toContain('another range');
  });

  it('lets go of the connection when a body is destroyed unread', async () => {
    put('k', body);
    const { store } = await open({ maxSockets: 1 });

    for (let round = 0; round < 5; round += 1) (await store.get('k')).body.destroy();

    expect(await store.head('k')).toBeDefined();
  });
});

describe('T12: refusals', () => {
  it.each([
    ['PutObject', 's3:PutObject'],
    ['UploadPart', 's3:PutObject'],
    ['CompleteMultipartUpload', 's3:PutObject'],
    ['GetObject', 's3:GetObject'],
    ['HeadObject', 's3:GetObject'],
    ['ListObjectsV2', 's3:ListBucket'],
    ['DeleteObjects', 's3:DeleteObject'],
    ['RestoreObject', 's3:RestoreObject'],
  ])('%s denied: names the object and %s', async (operation, action) => {
    prepare();
    proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const { store } = await open();

    const error = await failure(OPERATIONS[operation]?.(store) ?? Promise.resolve());

    expect(error).toMatchObject({ code: 'access-denied', attempts: 1 });
    expect(error.message).toContain('s3://bucket/p');
    expect(error.hint).toContain(action);
    expect(proxy.counts.get(operation)).toBe(1);
  });

  it('says that an object answered with 403 may be missing', async () => {
    proxy.inject({ fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const { store } = await open();

    expect((await failure(store.get('k'))).message).toContain(
      'the object is missing and these credentials may not list',
    );
    expect((await failure(store.head('k'))).message).toContain(
      'the object is missing and these credentials may not list',
    );
  });

  it.each([
    ['ExpiredToken', 400, /expired/, /renew/],
    ['RequestTimeTooSkewed', 403, /clock/, /set the clock/],
    ['InvalidAccessKeyId', 403, /does not accept these credentials/, /--profile/],
    ['SignatureDoesNotMatch', 403, /does not accept these credentials/, /secret key/],
  ])('explains %s', async (code, status, message, hint) => {
    proxy.inject({ fault: { kind: 'status', status, code } });
    const { store } = await open();

    const error = await failure(store.put('k', text('x')));

    expect(error).toMatchObject({ code: 'access-denied', attempts: 1 });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  it('names cold storage and the lack of expedited capacity', async () => {
    put('cold', text('x'), 'DEEP_ARCHIVE');
    proxy.inject({
      operation: 'RestoreObject',
      fault: { kind: 'status', status: 503, code: 'GlacierExpeditedRetrievalNotAvailable' },
    });
    const { store } = await open();

    expect(await failure(store.get('cold'))).toMatchObject({ code: 'cold-storage' });
    expect((await failure(store.thaw('cold', { days: 1, tier: 'expedited' }))).message).toContain(
      'expedited retrieval capacity',
    );
  });

  it('thaws: started, then already; already for what is not cold', async () => {
    put('cold', text('x'), 'GLACIER');
    put('warm', text('x'));
    const { store } = await open();
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

describe('T13: other addresses, other servers', () => {
  it.each([
    [301, 'PermanentRedirect'],
    [307, 'TemporaryRedirect'],
    [400, 'AuthorizationHeaderMalformed'],
  ])('names the right region on %i %s and follows no redirect', async (status, code) => {
    const elsewhere = await startFaultProxy();
    onTestFinished(() => elsewhere.close());
    proxy.inject({
      fault: {
        kind: 'status',
        status,
        code,
        headers: { location: elsewhere.endpoint, 'x-amz-bucket-region': 'eu-west-1' },
      },
    });
    const { store } = await open();

    const error = await failure(store.put('k', text('x')));

    expect(error.message).toContain('the bucket is in region eu-west-1, not us-east-1');
    expect(error.hint).toBe('use --region eu-west-1');
    expect(elsewhere.counts.size).toBe(0);
  });

  it('names a bucket that does not exist', async () => {
    const { store } = await openTestS3(server.endpoint, 'no-such-bucket');

    expect((await failure(listAll(store))).message).toContain('there is no bucket no-such-bucket');
    expect(await failure(store.put('k', text('x')))).toMatchObject({ code: 'not-found' });
    expect(await failure(store.get('k'))).toMatchObject({ code: 'not-found', reason: 'NoSuchBucket' });
  });

  it('uses path-style addresses with an endpoint, also for a bucket with dots', async () => {
    server.buckets.set('my.dotted.bucket', new Map());
    const { store } = await openTestS3(server.endpoint, 'my.dotted.bucket', { prefix: 'p' });

    await store.put('k', text('x'));

    expect(server.requests.at(-1)?.path).toBe('/my.dotted.bucket/p/k?x-id=PutObject');
  });

  it('sends no checksum that a look-alike might refuse', async () => {
    const { store } = await open();

    await store.put('k', text('x'));
    await OPERATIONS['UploadPart']?.(store);

    const names = server.requests.slice(-3).flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => /checksum|trailer|aws-chunked/.test(name))).toEqual([]);
  });

  it('lists a server that knows only version 1', async () => {
    const keys = Array.from({ length: 1500 }, (_, index) => `k +%${String(index).padStart(5, '0')}`);
    for (const key of keys) put(key, text(''));
    proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 501, code: 'NotImplemented' } });
    const { store } = await open();

    expect((await listAll(store)).keys).toEqual(keys);
    expect(proxy.counts.get('ListObjects')).toBe(2);
  });

  it('takes the endpoint from AWS_ENDPOINT_URL_S3, then AWS_ENDPOINT_URL', async () => {
    put('k', text('x'));
    const env = { AWS_ENDPOINT_URL_S3: proxy.endpoint, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const { store } = await openTestS3(undefined as never, 'bucket', { env, prefix: 'p' });

    expect(await store.head('k')).toBeDefined();
  });

  it('uses the default region with an endpoint when nothing names one', async () => {
    const { region } = await open({ region: undefined, defaultRegion: 'eu-central-1' });

    expect(region).toBe('eu-central-1');
    expect(proxy.counts.size).toBe(0);
  });
});
