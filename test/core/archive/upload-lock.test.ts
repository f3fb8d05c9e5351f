import { describe, expect, test } from 'vitest';
import { retentionOf } from '../../../src/core/archive/upload-lock.js';

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
