import { describe, expect, test } from 'vitest';
import { refuseUnlockable, retentionOf } from '../../../src/core/archive/upload-lock.js';
import type { BucketLock } from '../../../src/core/object-store/bucket-lock.js';
import type { OpenedStore } from '../../../src/core/object-store/open-store.js';
import { StoreError } from '../../../src/core/object-store/store-error.js';

const DAY_MS = 86_400_000;
const createdAt = new Date('2026-03-04T05:06:07Z');
const lock = { mode: 'compliance', retainMs: 3 * DAY_MS } as const;

describe('the lock of an upload', () => {
  test('ends at one moment, in whichever run its objects are sent', () => {
    const until = new Date('2026-03-07T05:06:07Z');
    const runs = [createdAt, new Date('2026-03-06T00:00:00Z')].map((now) => retentionOf(lock, { createdAt, now }));

    expect(runs).toEqual([
      { mode: 'compliance', until },
      { mode: 'compliance', until },
    ]);
    expect(retentionOf(undefined, { createdAt, now: createdAt })).toBeUndefined();
  });

  test('cannot have ended: an upload that is continued so late is refused', () => {
    const now = new Date('2026-03-07T05:06:07Z');

    expect(() => retentionOf(lock, { createdAt, now })).toThrow(
      'the lock of the interrupted upload ended on 2026-03-07',
    );
  });
});

describe('a lock that is asked for', () => {
  const retention = { mode: 'governance', until: new Date('2026-03-07T05:06:07Z') } as const;
  const { signal } = new AbortController();
  const opened = (read: BucketLock['read'], isAws = false): Parameters<typeof refuseUnlockable>[0] => ({
    store: { url: 's3://acme/lab' } as OpenedStore['store'],
    lock: { read, checkSight: () => Promise.resolve(), retain: () => Promise.resolve() },
    isAws,
  });
  const none = (): Promise<undefined> => Promise.resolve(undefined);

  test('is refused before anything is sent where the bucket has no Object Lock, which a server may not say of an object', async () => {
    await expect(refuseUnlockable(opened(none), retention, signal)).rejects.toThrow(
      'the bucket acme has no Object Lock, so nothing in it can be locked',
    );
  });

  test('is not asked about where nothing is to be locked, nor on AWS, which refuses by itself', async () => {
    await expect(refuseUnlockable(opened(none), undefined, signal)).resolves.toBeUndefined();
    await expect(refuseUnlockable(opened(none, true), retention, signal)).resolves.toBeUndefined();
  });

  test('is believed of a bucket that these credentials may not ask about', async () => {
    const denied = (): Promise<never> => Promise.reject(new StoreError('access-denied', 'denied'));

    await expect(refuseUnlockable(opened(denied), retention, signal)).resolves.toBeUndefined();
  });
});
