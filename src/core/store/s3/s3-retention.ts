// Object Lock in the terms of S3, and the answers of a bucket without it.
import type { Retention, RetentionMode, WriteOptions } from '../object-store.js';
import { noLockError, StoreError } from '../store-error.js';
import type { S3Sender } from './s3-sender.js';

export const LOCK_MODES = { governance: 'GOVERNANCE', compliance: 'COMPLIANCE' } as const satisfies Record<
  RetentionMode,
  string
>;

/** Converts a lock from S3; undefined for none, and for one that is not understood. */
export function retentionOf(mode: string | undefined, until: Date | undefined): Retention | undefined {
  if (until === undefined || Number.isNaN(until.getTime())) return undefined;
  return mode === 'COMPLIANCE'
    ? { mode: 'compliance', until }
    : mode === 'GOVERNANCE'
      ? { mode: 'governance', until }
      : undefined;
}

/** Whether a bucket has no Object Lock. AWS, Ceph and moto answer InvalidRequest, each with another message. */
const isNoLock = (error: unknown): error is StoreError =>
  error instanceof StoreError &&
  (error.reason === 'ObjectLockConfigurationNotFoundError' ||
    (error.reason === 'InvalidRequest' && !/md5|checksum|future/i.test(error.message)));

/** Runs `write` and returns its result. @throws unsupported if a lock was asked for and the bucket has none; what `write` throws */
export async function lockedOr<T>(
  { bucket }: Pick<S3Sender, 'bucket'>,
  { retention }: Pick<WriteOptions, 'retention'>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw retention !== undefined && isNoLock(error) ? noLockError(bucket, error) : error;
  }
}
