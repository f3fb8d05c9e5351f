// Object Lock as S3 spells it, and what a bucket without it answers.
import type { Retention, RetentionMode, WriteOptions } from '../object-store.js';
import { noLockError, StoreError } from '../store-error.js';
import type { S3Sender } from './s3-sender.js';

export const LOCK_MODES = { governance: 'GOVERNANCE', compliance: 'COMPLIANCE' } as const satisfies Record<
  RetentionMode,
  string
>;

/** Undefined for none, and for what is not understood. */
export function retentionOf(mode: string | undefined, until: Date | undefined): Retention | undefined {
  if (until === undefined || Number.isNaN(until.getTime())) return undefined;
  return mode === 'COMPLIANCE'
    ? { mode: 'compliance', until }
    : mode === 'GOVERNANCE'
      ? { mode: 'governance', until }
      : undefined;
}

/** AWS, Ceph and moto answer InvalidRequest, each with words of its own. */
const isNoLock = (error: unknown): error is StoreError =>
  error instanceof StoreError &&
  (error.reason === 'ObjectLockConfigurationNotFoundError' ||
    (error.reason === 'InvalidRequest' && !/md5|checksum|future/i.test(error.message)));

/** What `write` gives. @throws unsupported where a lock was asked for and the bucket has none; what `write` throws */
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
