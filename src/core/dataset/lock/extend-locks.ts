// Extends the locks of objects, many at a time. Each is tried; failures are reported.
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { BucketLock } from '../../store/bucket-lock.js';
import { isLockRefused, throwIfCancelled } from '../../store/store-error.js';
import { metered, progressMeter } from '../../events/progress-meter.js';
import { LOCKS_AT_ONCE, type LockChange } from './plan-lock.js';

export interface LockFailure {
  readonly key: string;
  readonly reason: string;
}

export interface LockOutcome {
  readonly extended: number;
  readonly failed: readonly LockFailure[];
}

/** Carries out a plan. @throws cancelled; unsupported when the bucket has no Object Lock */
export async function extendLocks(
  lock: BucketLock,
  changes: readonly LockChange[],
  { emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal },
): Promise<LockOutcome> {
  emit({ type: 'phase', phase: 'committing' });
  emit({ type: 'plan', items: changes.length, bytes: 0 });
  const meter = progressMeter(emit);
  const failed: LockFailure[] = [];
  const retained = forEachLimit(changes, LOCKS_AT_ONCE, async ({ key, sizeBytes, retention }) => {
    throwIfCancelled(signal);
    try {
      await lock.retain(key, retention, signal);
    } catch (error) {
      if (isArchiverError(error, 'cancelled') || isLockRefused(error)) throw error;
      failed.push({ key, reason: errorText(error) });
    }
    meter.add(1, sizeBytes);
  });
  await metered(meter, retained);
  return { extended: changes.length - failed.length, failed };
}
