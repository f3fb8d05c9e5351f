// Object Lock of a bucket: whether the bucket has it, and extending the lock of single objects.
import { STANDARD, type StoreMeter } from './meter.js';
import type { RequestCounts, Retention, RetentionMode } from './object-store.js';
import { Retrier, type RetryOptions } from './retry/retrier.js';

/** The lock that the bucket gives every object written to it. */
export interface LockRule {
  readonly defaultRetention?: { readonly mode: RetentionMode; readonly days?: number; readonly years?: number };
}

export interface BucketLock {
  /** Reads the rule; undefined if the bucket has no Object Lock. @throws access-denied, not-found, store */
  read(signal?: AbortSignal): Promise<LockRule | undefined>;
  /** Checks that `head` shows locks; `key` is any object. @throws access-denied where `head` hides locks from these credentials */
  checkSight(key: string, signal?: AbortSignal): Promise<void>;
  /** Locks the current version of an object. The store refuses to shorten a lock. @throws access-denied, not-found, store */
  retain(key: string, retention: Retention, signal?: AbortSignal): Promise<void>;
}

/** Adds retries; each attempt is counted, and PutObjectRetention is billed as a PUT. */
export function retriedLock(
  lock: BucketLock,
  options: RetryOptions,
  counts: RequestCounts,
  meter: StoreMeter | undefined,
): BucketLock {
  const retrier = new Retrier(options);
  return {
    read: (signal) =>
      retrier.run({ request: 'read the object lock of the bucket', signal }, () => {
        counts.other += 1;
        return lock.read(signal);
      }),
    checkSight: (key, signal) =>
      retrier.run({ request: `look at the lock of ${key}`, signal }, () => {
        counts.get += 1;
        meter?.requested('get', STANDARD);
        return lock.checkSight(key, signal);
      }),
    retain: (key, retention, signal) =>
      retrier.run({ request: `lock ${key}`, signal }, () => {
        counts.put += 1;
        meter?.requested('put', STANDARD);
        return lock.retain(key, retention, signal);
      }),
  };
}
