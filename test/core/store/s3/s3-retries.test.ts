// Transient failures of every operation. The real SDK over HTTP, a proxy that breaks things.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import type { Fault } from '../../../faults/fault.js';
import { failure, OPERATION_NAMES, OPERATIONS, useBrokenS3 } from '../../../support/broken-s3.js';
import { listAll } from '../conformance.js';

const s3 = useBrokenS3();
const text = (value: string): Buffer => Buffer.from(value);

const FAULTS: Readonly<Record<string, Fault>> = {
  '500': { kind: 'status', status: 500, code: 'InternalError' },
  '502 without XML': { kind: 'status', status: 502, headers: { 'content-type': 'text/html' } },
  '503 SlowDown': { kind: 'status', status: 503, code: 'SlowDown' },
  '429': { kind: 'status', status: 429, code: 'TooManyRequests' },
  '400 RequestTimeout': { kind: 'status', status: 400, code: 'RequestTimeout' },
  'connection reset': { kind: 'reset' },
  'no answer': { kind: 'no-answer' },
};

// A HEAD answer has no body: the code that makes a 400 retriable cannot be in it.
const isTold = (operation: string, fault: string): boolean =>
  !(operation === 'HeadObject' && fault === '400 RequestTimeout');
const cases = OPERATION_NAMES.flatMap((operation) =>
  Object.keys(FAULTS)
    .filter((fault) => isTold(operation, fault))
    .map((fault) => [operation, fault] as const),
);

it('sends many requests under one signal without a warning', async () => {
  s3.prepare();
  const { store } = await s3.open();
  await store.head('there'); // with the first request the SDK says which versions of Node it will want
  const warnings: Error[] = [];
  const listener = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listener);
  onTestFinished(() => void process.off('warning', listener));
  const { signal } = new AbortController();

  await Promise.all(Array.from({ length: 20 }, () => store.head('there', signal)));
  await new Promise((resolve) => setImmediate(resolve));

  expect(warnings).toEqual([]);
});

describe('transient failures', () => {
  it.each(cases)('%s gets over %s', async (operation, faultName) => {
    s3.prepare();
    const events: TransferEvent[] = [];
    const fault = FAULTS[faultName];
    const [times, timeouts] = faultName === 'no answer' ? [1, { answerMs: 500 }] : [9, {}];
    const { store } = await s3.open({ timeouts, onEvent: (event) => events.push(event) });
    if (fault) s3.proxy.inject({ operation, fault, times });

    await OPERATIONS[operation](store);

    // A prefix without unfinished uploads is asked for a second time, with those of the whole bucket (MinIO shows none of a folder).
    const more = operation === 'ListMultipartUploads' ? 1 : 0;
    expect(s3.proxy.counts.get(operation)).toBe(times + 1 + more);
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(times);
  });

  it.each(cases)('%s gives up when %s does not end, naming operation and key', async (operation, faultName) => {
    s3.prepare();
    const { store, requests } = await s3.open({ timeouts: { answerMs: 20 } });
    const fault = FAULTS[faultName];
    if (fault) s3.proxy.inject({ operation, fault });

    const error = await failure(OPERATIONS[operation](store));

    expect(s3.proxy.counts.get(operation)).toBe(10);
    expect(error).toMatchObject({ attempts: 10, retriable: true });
    expect(error.message).toContain(operation.replace('V2', ''));
    expect(error.message).toContain('s3://bucket/p');
    expect(error.message).toContain('(tried 10 times)');
    expect(Object.values(requests).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(10);
  });

  it('stops at the total time, and between tries when cancelled', async () => {
    s3.proxy.inject({ fault: { kind: 'status', status: 503 } });
    const { store } = await s3.open({ retry: { baseDelayMs: 400, maxDelayMs: 400, maxTotalMs: 100 } });
    const { store: patient } = await s3.open({ retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 } });

    expect(await failure(store.put('k', text('x')))).toMatchObject({ attempts: 1 });
    expect(await failure(patient.put('k', text('x'), { signal: AbortSignal.timeout(50) }))).toMatchObject({
      code: 'cancelled',
    });
  });

  it('waits as long as the server asks', async () => {
    s3.proxy.inject({ fault: { kind: 'status', status: 503, headers: { 'retry-after': '1' } }, times: 1 });
    const { store } = await s3.open();
    const startedAt = performance.now();

    await store.put('k', text('x'));

    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it.each([400, 403, 404])('does not repeat what a %i refuses', async (status) => {
    s3.proxy.inject({ fault: { kind: 'status', status, code: 'InvalidRequest' } });
    const { store } = await s3.open();

    expect(await failure(store.put('k', text('x')))).toMatchObject({ attempts: 1, retriable: false });
    expect(s3.proxy.counts.get('PutObject')).toBe(1);
  });

  it('names a host that does not exist and one that refuses', async () => {
    const { store: unknown } = await s3.open({
      endpointUrl: 'http://no-such-host.invalid',
      retry: { maxAttempts: 2, baseDelayMs: 1 },
    });
    const { store: closed } = await s3.open({
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
      const { store } = await s3.open({
        endpointUrl: `https://127.0.0.1:${port}`,
        retry: { maxAttempts: 2, baseDelayMs: 1 },
      });

      const error = await failure(store.put('k', text('x')));

      expect(error.message).toContain(`127.0.0.1:${port}`);
      expect(error.attempts).toBe(2);
    }
  });

  it('repeats only the keys that could not be deleted', async () => {
    s3.put('a', text('a'));
    const { store } = await s3.open();
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
    const { store: partly } = await s3.open({
      endpointUrl: `http://127.0.0.1:${(canned.address() as AddressInfo).port}`,
    });

    const failures = await partly.delete(['a', 'b', 'c']);

    expect(failures.map(({ key }) => key)).toEqual(['c']);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('<Key>p/b</Key>');
    expect(bodies[1]).not.toContain('<Key>p/a</Key>');
    expect(await store.head('a')).toBeDefined();
  });

  it('repeats only the versions that could not be deleted', async () => {
    const failed = (key: string, code: string): string =>
      `<Error><Key>p/${key}</Key><VersionId>v7</VersionId><Code>${code}</Code></Error>`;
    const partial = `<DeleteResult>${failed('b', 'InternalError')}${failed('c', 'AccessDenied')}</DeleteResult>`;
    const bodies: string[] = [];
    const canned = http.createServer((request, response) => {
      bodies.push('');
      request.on('data', (piece) => (bodies[bodies.length - 1] += String(piece)));
      request.on('end', () => response.end(bodies.length === 1 ? partial : '<DeleteResult/>'));
    });
    await new Promise<void>((resolve) => {
      canned.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void canned.close());
    const { store } = await s3.open({ endpointUrl: `http://127.0.0.1:${(canned.address() as AddressInfo).port}` });

    const failures = await store.deleteVersions(['a', 'b', 'c'].map((key) => ({ key, versionId: 'v7' })));

    expect(failures).toMatchObject([{ key: 'c', versionId: 'v7', reason: expect.stringContaining('lock') as string }]);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatch(/<Key>p\/b<\/Key><VersionId>v7<\/VersionId>/);
    expect(bodies[1]).not.toContain('<Key>p/a</Key>');
  });

  it('takes up a listing of versions where it broke off', async () => {
    const keys = Array.from({ length: 2500 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    for (const key of keys) s3.put(key, text(''));
    s3.proxy.inject({ operation: 'ListObjectVersions', fault: { kind: 'reset' }, skip: 1, times: 2 });
    const { store } = await s3.open();
    const found: string[] = [];

    for await (const { versions } of store.listVersions()) found.push(...versions.map(({ key }) => key));

    expect(found).toEqual(keys);
    expect(s3.proxy.counts.get('ListObjectVersions')).toBe(5);
  });

  it('takes up a listing where it broke off', async () => {
    const keys = Array.from({ length: 2500 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    for (const key of keys) s3.put(key, text(''));
    s3.proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'reset' }, skip: 1, times: 2 });
    const { store } = await s3.open();

    expect((await listAll(store)).keys).toEqual(keys);
    expect(s3.proxy.counts.get('ListObjectsV2')).toBe(5);
  });

  it('takes up a folded listing without showing a folder twice', async () => {
    for (let index = 0; index < 1500; index += 1) {
      s3.put(`f${String(index).padStart(5, '0')}/a`, text(''));
      s3.put(`f${String(index).padStart(5, '0')}/b`, text(''));
    }
    s3.proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'reset' }, skip: 1, times: 1 });
    const { store } = await s3.open();

    const { prefixes } = await listAll(store, { delimiter: '/' });

    expect(prefixes).toHaveLength(1500);
    expect(new Set(prefixes).size).toBe(1500);
  });
});
