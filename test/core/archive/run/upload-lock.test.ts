import { describe, expect, test } from 'vitest';
import { refuseUnlockable, retentionOf } from '../../../../src/core/archive/run/upload-lock.js';
import type { BucketLock } from '../../../../src/core/store/bucket-lock.js';
import type { OpenedStore } from '../../../../src/core/store/open-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';

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

describe('a bucket without Object Lock', () => {
  const opened = (read: BucketLock['read']): OpenedStore =>
    ({ store: { url: 's3://bucket/p' }, lock: { read } }) as unknown as OpenedStore;
  const { signal } = new AbortController();

  test('is refused before anything is sent, also where the server would take the headers', async () => {
    await expect(
      refuseUnlockable(
        opened(() => Promise.resolve(undefined)),
        signal,
      ),
    ).rejects.toMatchObject({
      code: 'unsupported',
      message: 'the bucket bucket has no Object Lock, so nothing in it can be locked',
    });
  });

  test('may be one with it where these credentials may not ask', async () => {
    const denied = new StoreError('access-denied', 's3:GetBucketObjectLockConfiguration is not allowed');

    await expect(
      refuseUnlockable(
        opened(() => Promise.reject(denied)),
        signal,
      ),
    ).resolves.toBeUndefined();
    await expect(
      refuseUnlockable(
        opened(() => Promise.resolve({})),
        signal,
      ),
    ).resolves.toBeUndefined();
  });
});
