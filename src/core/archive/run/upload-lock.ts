// S3 Object Lock of the objects of an upload.
import type { EventSink } from '../../events/events.js';
import { ArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { Retention, RetentionMode } from '../../store/object-store.js';
import type { OpenedStore } from '../../store/open-store.js';
import { noLockError } from '../../store/store-error.js';
import { parseStoreUrl } from '../../store/store-url.js';

export interface LockOptions {
  readonly mode: RetentionMode;
  readonly retainMs: number;
}

/**
 * Returns the lock of every object of an upload that began at `createdAt`: one moment for all of them, in whichever run they are sent.
 * @throws usage when an upload is continued so late that the lock has ended
 */
export function retentionOf(
  lock: LockOptions | undefined,
  { createdAt, now }: { readonly createdAt: Date; readonly now: Date },
): Retention | undefined {
  if (lock === undefined) return undefined;
  // Rounded to whole seconds, which every server keeps as they are.
  const until = new Date(Math.ceil((createdAt.getTime() + lock.retainMs) / 1000) * 1000);
  if (until > now) return { mode: lock.mode, until };
  throw new ArchiverError('usage', `the lock of the interrupted upload ended on ${until.toISOString()}`, {
    exitCode: 2,
    hint: 'start again with --force-restart: what is sent then is locked from now on',
  });
}

/**
 * Checks that the bucket can lock objects: a server without locks may accept the headers and keep nothing. A writer that may not ask relies
 * on what the server says of each object. @throws unsupported if the bucket has no Object Lock; what asking throws
 */
export async function refuseUnlockable({ store, lock }: OpenedStore, signal: AbortSignal): Promise<void> {
  const place = parseStoreUrl(store.url);
  if (lock === undefined || place.kind !== 's3') return;
  const isOn = lock.read(signal).then((rule) => rule !== undefined);
  if (!((await isOn.catch(undefinedOn('access-denied'))) ?? true)) throw noLockError(place.bucket);
}

interface Unlocked {
  readonly retention: Retention | undefined;
  readonly emit: EventSink;
  readonly now: () => Date;
}

/**
 * Notes that the version before is locked and this one is not: a lock cannot be taken back, so it is asked for each time
 * (docs/decisions/046).
 */
export function noteUnlocked(
  { retention, emit, now }: Unlocked,
  { objectLock }: Pick<ManifestHead, 'objectLock'>,
): void {
  if (retention !== undefined || objectLock === undefined || Date.parse(objectLock.until) <= now().getTime()) return;
  const text = `the version before is locked until ${objectLock.until}, and this one is not: add --object-lock and --retain`;
  emit({ type: 'note', text });
}
