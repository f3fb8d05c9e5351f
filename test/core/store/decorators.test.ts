import { describe, expect, it } from 'vitest';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { openStore } from '../../../src/core/store/open-store.js';
import { createPace } from '../../../src/core/platform/limits/pace.js';
import { parseTimetable } from '../../../src/core/platform/limits/timetable.js';
import { readAll, readInto } from '../../../src/core/store/read-content.js';
import { readOnly } from '../../../src/core/store/read-only.js';
import { countRequests, newRequestCounts } from '../../../src/core/store/request-count.js';
import { DEFAULT_RETRY, retryDelayMs } from '../../../src/core/store/retry/retrier.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { listAll } from './conformance.js';

const s3 = useBrokenS3();
const text = (value: string): Buffer => Buffer.from(value);

describe('request counts', () => {
  it('count by billing class, a listing by its pages and a deletion by its batches', async () => {
    const counts = newRequestCounts();
    const store = countRequests(fileStore(await tempFolder()), counts);

    const keys = Array.from({ length: 1001 }, (_, index) => `k${index}`);
    for (const key of keys) await store.put(key, text(''));
    await listAll(store);
    await store.head('k0');
    await readAll(await store.get('k0'), 1);
    await store.copy('k0', 'copy');
    await store.delete(keys);

    expect(counts).toEqual({ put: 1001, get: 1, list: 2, head: 1, delete: 2, copy: 1, other: 0 });
  });

  it('count every attempt', async () => {
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'status', status: 503 }, times: 2 });
    s3.proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'reset' }, times: 1 });
    const { store, requests } = await s3.open();

    await store.put('k', text('x'));
    await listAll(store);

    expect(requests).toMatchObject({ put: 3, list: 2 });
  });
});

describe('pace', () => {
  it('lets one second pass at once and the rest at the rate', async () => {
    let now = 10_000;
    const waits: number[] = [];
    const pace = createPace(1000, {
      now: () => now,
      sleep: (ms) => {
        waits.push(ms);
        now += ms;
        return Promise.resolve();
      },
    });

    now += 60_000;
    for (let sent = 0; sent < 3000; sent += 500) await pace(500);

    expect(waits).toEqual([500, 500, 500, 500]);
  });

  it('shares the rate between all who send', async () => {
    const now = 0;
    const waits: number[] = [];
    const pace = createPace(1000, { now: () => now, sleep: (ms) => Promise.resolve(waits.push(ms)) });

    await Promise.all([pace(1000), pace(1000), pace(1000)]);

    expect(waits).toEqual([1000, 2000, 3000]);
  });

  it('keeps to the limit of the hour, also for what waits when it changes', async () => {
    const at = (hour: number, minute: number) => (hour * 60 + minute) * 60_000;
    let now = at(7, 59);
    const clock = {
      now: () => now,
      sleep: (ms: number) => Promise.resolve((now += ms)),
      date: () => new Date(2026, 0, 5, 0, 0, 0, now), // a Monday
    };
    const timetable = parseTimetable('08:00,10 Mon-08:01,500 18:00,off', Number);
    if (typeof timetable === 'string') throw new Error(timetable);
    const pace = createPace(timetable, clock);

    await pace(1e9);
    expect(now).toBe(at(7, 59)); // as from 18:00 of the day before: no limit
    now = at(8, 0);
    await Promise.all([pace(600), pace(90)]);
    // 600 bytes in a minute; then 500 a second, also for the one that waits its turn.
    expect(now).toBe(at(8, 1) + 180);
    now = at(17, 59) + 58_000;
    await pace(1e6); // would take half an hour
    expect(now).toBe(at(18, 0));
  });

  it('by the hour stops waiting as well, and lets the next one go on', async () => {
    const pace = createPace([{ minute: 0, bytesPerSecond: 100_000 }]);
    const first = pace(1e9, AbortSignal.timeout(20));
    const second = pace(1e9, AbortSignal.timeout(10));
    const third = pace(10);

    await expect(second).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(first).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) });
    await third;
  });

  it('stops waiting when the signal fires', async () => {
    await expect(createPace(1)(1000, AbortSignal.timeout(10))).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('bandwidth limits', () => {
  const body = Buffer.alloc(300_000, 'x');
  const seconds = async (work: () => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    await work();
    return (performance.now() - startedAt) / 1000;
  };

  it.each(['s3', 'file'])('slow down uploads and downloads of a %s store, each by its own limit', async (kind) => {
    const limits = { uploadLimit: 300_000, downloadLimit: 200_000 };
    const { store } =
      kind === 's3' ? await s3.open(limits) : await openStore(`file://${await tempFolder()}`, { env: {}, ...limits });

    const up = await seconds(() => store.put('k', body));
    const down = await seconds(async () =>
      expect((await readAll(await store.get('k'), 300_000)).equals(body)).toBe(true),
    );

    expect(up).toBeGreaterThan(0.8);
    expect(up).toBeLessThan(20);
    // Up to a second's worth has been saved up meanwhile.
    expect(down).toBeGreaterThan(0.45);
    expect(down).toBeLessThan(20);
  });

  it('does not take a slow upload for a dead connection', async () => {
    const { store } = await s3.open({ uploadLimit: 100_000, timeouts: { idleMs: 400 } });

    await store.put('k', Buffer.alloc(100_000));

    expect(s3.proxy.counts.get('PutObject')).toBe(1);
  });
});

describe('retry delays', () => {
  const error = new StoreError('store', 'x', { retriable: true });

  it('grow, are jittered by half, and are capped', () => {
    const delay = (attempt: number, random: number): number =>
      retryDelayMs(attempt, error, { ...DEFAULT_RETRY, random: () => random });

    expect([1, 2, 3, 20].map((attempt) => delay(attempt, 1))).toEqual([200, 400, 800, 20_000]);
    expect([1, 2, 3, 20].map((attempt) => delay(attempt, 0))).toEqual([100, 200, 400, 10_000]);
  });

  it('are never shorter than the server asked for', () => {
    expect(retryDelayMs(1, new StoreError('store', 'x', { retriable: true, retryAfterMs: 7000 }), DEFAULT_RETRY)).toBe(
      7000,
    );
  });
});

describe('reading content', () => {
  it('refuses more than the bound before reading it', async () => {
    const store = fileStore(await tempFolder());
    await store.put('k', text('12345'));
    const content = await store.get('k');

    await expect(readAll(content, 4)).rejects.toMatchObject({ code: 'integrity' });
    expect(content.body.destroyed).toBe(true);
  });

  it('fills a buffer that may be larger and says by how much', async () => {
    const store = fileStore(await tempFolder());
    await store.put('k', text('12345'));
    const buffer = Buffer.alloc(8, '-');

    expect(await readInto(await store.get('k'), buffer)).toBe(5);
    expect(buffer.toString()).toBe('12345---');
    await expect(readInto(await store.get('k'), Buffer.alloc(3))).rejects.toMatchObject({ code: 'integrity' });
  });
});

describe('readOnly', () => {
  it('has no way to write', async () => {
    const store = fileStore(await tempFolder());
    await store.put('k', text('x'));

    const reader = readOnly(store);

    expect(Object.keys(reader)).toEqual(['url', 'get', 'head', 'list']);
    expect((await readAll(await reader.get('k'), 1)).toString()).toBe('x');
  });
});
