// Answers that are lost, false or late; the store must not guess.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readAll } from '../../../../src/core/store/read-content.js';
import { failure, OPERATIONS, useBrokenS3 } from '../../../support/broken-s3.js';
import { listAll } from '../conformance.js';

const s3 = useBrokenS3();
const text = (value: string): Buffer => Buffer.from(value);

describe('lost answers', () => {
  it('marks the conflict of a repeated put-if-absent as uncertain, and of a first one as certain', async () => {
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'lost-answer' }, times: 1 });
    const { store } = await s3.open();

    expect(await failure(store.put('record', text('mine'), { ifAbsent: true }))).toMatchObject({
      code: 'conflict',
      afterRetry: true,
    });
    expect(await failure(store.put('record', text('mine'), { ifAbsent: true }))).toMatchObject({
      code: 'conflict',
      afterRetry: false,
    });
  });

  it('marks the conflict of a repeated put-if-match as uncertain, and of a first one as certain', async () => {
    const { store } = await s3.open();
    const { etag } = await store.put('record', text('old'));
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'lost-answer' }, times: 1 });

    expect(await failure(store.put('record', text('mine'), { ifMatch: etag }))).toMatchObject({
      code: 'conflict',
      afterRetry: true,
    });
    expect(await failure(store.put('record', text('mine'), { ifMatch: etag }))).toMatchObject({
      code: 'conflict',
      afterRetry: false,
    });
  });

  it('takes a 404 without a name for the conflict of a put-if-match, and a missing bucket for what it is', async () => {
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'status', status: 404, body: '' }, times: 1 });
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'status', status: 404, code: 'NoSuchBucket' }, times: 1 });
    const { store } = await s3.open();

    expect(await failure(store.put('k', text('x'), { ifMatch: 'e' }))).toMatchObject({ code: 'conflict' });
    expect(await failure(store.put('k', text('x'), { ifMatch: 'e' }))).toMatchObject({ code: 'not-found' });
  });

  it('asks again for the time, and counts each listing that it takes', async () => {
    s3.proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 503 }, times: 2 });
    const { store, requests } = await s3.open();

    expect(Math.abs((await store.time()).getTime() - Date.now())).toBeLessThan(5000);
    expect(requests.list).toBe(3);
  });

  it('retries a 409 of a conditional put', async () => {
    s3.proxy.inject({
      operation: 'PutObject',
      fault: { kind: 'status', status: 409, code: 'ConditionalRequestConflict' },
      times: 2,
    });
    const { store } = await s3.open();

    await store.put('record', text('mine'), { ifAbsent: true });

    expect(s3.proxy.counts.get('PutObject')).toBe(3);
  });

  it('an acknowledged put that was never done is visible to a listing', async () => {
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'ack' }, times: 1 });
    const { store } = await s3.open();

    await store.put('chunk', text('x'));

    expect((await listAll(store)).keys).toEqual([]);
  });

  it('takes a 200 with an error in it for an error, and repeats', async () => {
    s3.proxy.inject({
      operation: 'CopyObject',
      fault: { kind: 'status', status: 200, code: 'InternalError' },
      times: 1,
    });
    s3.prepare();
    const { store } = await s3.open();

    await OPERATIONS.CopyObject(store);

    expect(s3.proxy.counts.get('CopyObject')).toBe(2);
    expect((await readAll(await store.get('copied'), 100)).toString()).toBe('there');
  });

  it('does not believe a 200 without an outcome', async () => {
    // The SDK looks for an error at the very end of the document, and a line break hides it.
    const body = '<Error><Code>InternalError</Code></Error>\n';
    s3.proxy.inject({ operation: 'CopyObject', fault: { kind: 'status', status: 200, body }, times: 10 });
    s3.proxy.inject({ operation: 'CopyObject', fault: { kind: 'ack' } });
    const { store } = await s3.open();

    expect((await failure(OPERATIONS.CopyObject(store))).message).toContain('did not confirm the copy');
    expect(await failure(OPERATIONS.CopyObject(store))).toMatchObject({ attempts: 10 });
  });

  it('fails when every 200 carries an error', async () => {
    s3.proxy.inject({
      operation: 'CopyObject',
      fault: { kind: 'status', status: 200, code: 'AccessDenied' },
    });
    const { store } = await s3.open();

    expect(await failure(OPERATIONS.CopyObject(store))).toMatchObject({
      code: 'access-denied',
    });
    expect(await store.head('copied')).toBeUndefined();
  });

  it('sends the hash it was given and computes none: a wrong one is refused', async () => {
    const sha256 = createHash('sha256').update('other bytes').digest('hex');
    const { store } = await s3.open();

    expect(await failure(store.put('k', text('body'), { sha256 }))).toMatchObject({ code: 'integrity' });
    expect(await store.head('k')).toBeUndefined();
  });

  it('sends the hash it was given, and learns when the bytes changed on the way', async () => {
    const sha256 = createHash('sha256').update('body').digest('hex');
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'corrupt-request', byte: 0 }, times: 1 });
    const { store } = await s3.open();

    await store.put('k', text('body'), { sha256 });

    expect(s3.proxy.counts.get('PutObject')).toBe(2);
    expect(
      s3.server.requests.findLast(({ operation }) => operation === 'PutObject')?.headers['x-amz-content-sha256'],
    ).toBe(sha256);
    expect((await readAll(await store.get('k'), 4)).toString()).toBe('body');
  });
});
