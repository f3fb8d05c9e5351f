// Bodies that stop, break off or are another object's.
import { describe, expect, it } from 'vitest';
import { readAll } from '../../../../src/core/store/read-content.js';
import type { Fault } from '../../../faults/fault.js';
import { failure, useBrokenS3 } from '../../../support/broken-s3.js';

const s3 = useBrokenS3();

describe('bodies that break', () => {
  const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const watchdog = { stallMs: 200 };

  it.each<[string, Fault]>([
    ['is cut', { kind: 'cut-response', afterBytes: 90_000 }],
    ['stalls', { kind: 'stall-response', afterBytes: 90_000 }],
    ['stalls before its first byte', { kind: 'stall-response', afterBytes: 1 }],
    ['drips', { kind: 'slow-response', bytesPerSecond: 200 }],
  ])('goes on by range when it %s', async (_name, fault) => {
    s3.put('k', body);
    s3.proxy.inject({ operation: 'GetObject', fault, times: 3 });
    const { store } = await s3.open({ watchdog });

    expect((await readAll(await store.get('k'), body.length)).equals(body)).toBe(true);
    expect(s3.proxy.counts.get('GetObject')).toBe(4);
    expect(
      s3.server.requests.findLast(({ operation }) => operation === 'GetObject')?.headers['if-match'],
    ).toBeDefined();
  });

  it('goes on inside of a range that was asked for', async () => {
    s3.put('k', body);
    s3.proxy.inject({ operation: 'GetObject', fault: { kind: 'cut-response', afterBytes: 1000 }, times: 2 });
    const { store } = await s3.open({ watchdog });

    const content = await store.get('k', { range: { suffix: 5000 } });

    expect((await readAll(content, 5000)).equals(body.subarray(-5000))).toBe(true);
  });

  it('gives up on a body that never moves', async () => {
    s3.put('k', body);
    s3.proxy.inject({ operation: 'GetObject', fault: { kind: 'stall-response', afterBytes: 10 } });
    const { store } = await s3.open({ watchdog: { stallMs: 40 } });

    expect(await failure(store.get('k').then((content) => readAll(content, 1e6)))).toMatchObject({ code: 'stalled' });
    expect(s3.proxy.counts.get('GetObject')).toBe(6);
  });

  it('does not take a reader that pauses for a stalled body', async () => {
    const large = Buffer.alloc(8_000_000);
    s3.put('k', large);
    const { store } = await s3.open({ watchdog: { stallMs: 100 } });
    const { body: stream } = await store.get('k');
    let received = 0;

    for await (const piece of stream as AsyncIterable<Buffer>) {
      if (received === 0) await new Promise((resolve) => setTimeout(resolve, 500));
      received += piece.length;
    }

    expect(received).toBe(large.length);
    expect(s3.proxy.counts.get('GetObject')).toBe(1);
  });

  it('fails when the object changes between two ranges', async () => {
    s3.put('k', body);
    s3.proxy.inject({ operation: 'GetObject', fault: { kind: 'cut-response', afterBytes: 1000 }, times: 1 });
    const { store } = await s3.open();
    const content = await store.get('k');
    s3.put('k', Buffer.alloc(300_000));

    const error = await failure(readAll(content, 1e6));

    expect(error).toMatchObject({ code: 'conflict' });
    expect(error.message).toContain('s3://bucket/p/k was replaced while it was being read');
  });

  it('fails when a server without conditions gives another object', async () => {
    s3.put('k', body);
    const { store } = await s3.open();
    const { etag } = await store.put('k', body);
    s3.proxy.inject({ operation: 'GetObject', fault: { kind: 'etag', etag: 'other' } });

    expect(await failure(store.get('k', { ifMatch: etag }))).toMatchObject({ code: 'conflict' });
  });

  it.each<[string, Fault]>([
    ['ignores the range (200)', { kind: 'range-ignored' }],
    ['gives another range', { kind: 'range-shifted', by: 1 }],
    ['gives a shorter range', { kind: 'shorten-response', bytes: 10 }],
  ])('asks again when the store %s, and fails when it always does', async (_name, fault) => {
    s3.put('k', body);
    const range = { start: 100, end: 200 };
    // One connection: an answer that is refused must let go of it.
    const { store } = await s3.open({ retry: { baseDelayMs: 1, maxDelayMs: 1, maxAttempts: 3 }, maxSockets: 1 });
    s3.proxy.inject({ operation: 'GetObject', fault, times: 2 });
    expect((await readAll(await store.get('k', { range }), 100)).equals(body.subarray(100, 200))).toBe(true);

    s3.proxy.clear();
    s3.proxy.inject({ operation: 'GetObject', fault });
    expect((await failure(store.get('k', { range }))).message).toContain('another range');
  });

  it('lets go of the connection when a body is destroyed unread', async () => {
    s3.put('k', body);
    const { store } = await s3.open({ maxSockets: 1 });

    for (let round = 0; round < 5; round += 1) (await store.get('k')).body.destroy();

    expect(await store.head('k')).toBeDefined();
  });
});
