// Finds what Object Lock keeps. In a bucket that keeps versions, deleting a key only hides it: nothing would be freed, no later prune would
// see it again, and half of an upload could be gone from view. So locked objects are left alone, together with everything else in their
// folder that is not needed: a later prune deletes all of it at once. Whoever retires a version says so at once.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { splitUploadKey } from '../../store/ids/upload-id.js';
import type { BucketLock } from '../../store/bucket-lock.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ReadRecord } from '../records/versions.js';
import { versionNumber } from '../records/version-name.js';

const LOOKS_AT_ONCE = 32;

type Sized = Pick<ObjectInfo, 'key' | 'sizeBytes'>;

/** Objects of an upload that are not needed and stay, because some of them are locked. */
export interface HeldObjects {
  /** Keys relative to the base. */
  readonly keys: ReadonlySet<string>;
  readonly objects: number;
  readonly bytes: number;
  /** End of the last lock; undefined when nothing is held. */
  readonly until: Date | undefined;
}

export const NOTHING_HELD: HeldObjects = { keys: new Set(), objects: 0, bytes: 0, until: undefined };

/** Finds which unneeded objects stay, at the time `now` of the store's clock. */
export type FindHeld = (objects: readonly Sized[], now: Date) => Promise<HeldObjects>;

/** Asks about the lock of each object: one request for each, and one more. @throws access-denied, store */
export function heldBy(reader: ObjectReader, lock: BucketLock, signal: AbortSignal): FindHeld {
  /** An object without a lock is believed once it is known that these credentials would see one. */
  let sight: Promise<void> | undefined;
  return async (objects, now) => {
    const folders = new Map<string, Date>();
    await forEachLimit(objects, LOOKS_AT_ONCE, async ({ key }) => {
      const retention = (await reader.head(key, signal))?.retention;
      if (retention === undefined) return await (sight ??= lock.checkSight(key, signal));
      const { until } = retention;
      const folder = folderOf(key);
      const before = folders.get(folder);
      if (until > now && (before === undefined || before < until)) folders.set(folder, until);
    });
    return heldOf(objects, folders);
  };
}

export type LockVisibility = 'none' | 'seen' | 'hidden';

/** Tells whether the bucket locks objects, and so keeps versions; `hidden` when these credentials may not see that. @throws store */
export async function lockVisibility(lock: BucketLock | undefined, signal: AbortSignal): Promise<LockVisibility> {
  if (lock === undefined) return 'none';
  try {
    return (await lock.read(signal)) === undefined ? 'none' : 'seen';
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return 'hidden';
    throw error;
  }
}

/** Refuses to prune versions that say they were locked when locks cannot be seen. @throws access-denied */
export function refuseHidden(sight: LockVisibility, versions: readonly ReadRecord[]): void {
  const locked = versions.find(({ record }) => record.objectLock !== undefined);
  if (sight !== 'hidden' || locked === undefined) return;
  const what = `version ${versionNumber(locked.record)} of dataset ${printable(locked.record.datasetId)} was locked`;
  throw new ArchiverError(
    'access-denied',
    `nothing was pruned: ${what}, and these credentials may not see what is locked now`,
    { hint: 'they need s3:GetBucketObjectLockConfiguration on the bucket and s3:GetObjectRetention on its objects' },
  );
}

const folderOf = (key: string): string => splitUploadKey(key)?.uploadId ?? key;

function heldOf(objects: readonly Sized[], folders: ReadonlyMap<string, Date>): HeldObjects {
  if (folders.size === 0) return NOTHING_HELD;
  const held = objects.filter(({ key }) => folders.has(folderOf(key)));
  return {
    keys: new Set(held.map(({ key }) => key)),
    objects: held.length,
    bytes: held.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    until: new Date(Math.max(...Array.from(folders.values(), (until) => until.getTime()))),
  };
}

/** Sums of both. */
export function addHeldObjects(a: HeldObjects, b: HeldObjects): HeldObjects {
  if (a.until === undefined) return b;
  if (b.until === undefined) return a;
  return {
    keys: new Set([...a.keys, ...b.keys]),
    objects: a.objects + b.objects,
    bytes: a.bytes + b.bytes,
    until: a.until > b.until ? a.until : b.until,
  };
}
