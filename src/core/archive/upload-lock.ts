// S3 Object Lock of what one upload puts.
import type { EventSink } from '../events.js';
import { ArchiverError, isArchiverError } from '../failures/errors.js';
import type { ManifestHead } from '../manifest/manifest-types.js';
import type { Retention, RetentionMode } from '../object-store/object-store.js';
import type { OpenedStore } from '../object-store/open-store.js';
import { noLockError } from '../object-store/store-error.js';

export interface LockOptions {
  readonly mode: RetentionMode;
  readonly retainMs: number;
}

/**
 * The lock of every object of an upload that began at `createdAt`: one moment for all of them, in whichever run they are sent.
 * @throws usage where an upload is continued so late that the lock has ended
 */
export function retentionOf(
  lock: LockOptions | undefined,
  { createdAt, now }: { readonly createdAt: Date; readonly now: Date },
): Retention | undefined {
  if (lock === undefined) return undefined;
  // Whole seconds, which every server keeps as they are.
  const until = new Date(Math.ceil((createdAt.getTime() + lock.retainMs) / 1000) * 1000);
  if (until > now) return { mode: lock.mode, until };
  throw new ArchiverError('usage', `the lock of the interrupted upload ended on ${until.toISOString()}`, {
    exitCode: 2,
    hint: 'start again with --force-restart: what is sent then is locked from now on',
  });
}

/**
 * Before anything is sent: some servers store what is to be locked, answer 200, and have no locks. AWS refuses such a request by itself.
 * Who may not ask goes on. @throws unsupported
 */
export async function refuseUnlockable(
  { store, lock, isAws }: Pick<OpenedStore, 'store' | 'lock' | 'isAws'>,
  retention: Retention | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (retention === undefined || lock === undefined || isAws) return;
  const rule = await lock.read(signal).catch((error: unknown) => {
    if (isArchiverError(error, 'access-denied')) return {};
    throw error;
  });
  if (rule === undefined) throw noLockError(new URL(store.url).hostname);
}

interface Unlocked {
  readonly retention: Retention | undefined;
  readonly emit: EventSink;
  readonly now: () => Date;
}

/** A lock is not kept from version to version: it cannot be taken back, so it is asked for each time (docs/decisions/046). */
export function noteUnlocked(
  { retention, emit, now }: Unlocked,
  { objectLock }: Pick<ManifestHead, 'objectLock'>,
): void {
  if (retention !== undefined || objectLock === undefined || Date.parse(objectLock.until) <= now().getTime()) return;
  const text = `the version before is locked until ${objectLock.until}, and this one is not: add --object-lock and --retain`;
  emit({ type: 'note', text });
}
