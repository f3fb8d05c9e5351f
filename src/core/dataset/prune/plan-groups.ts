// A plan that nobody has committed, and the attempts at its parts, count as one upload: all of them live while anything is written to any of
// them, however old a part that was done early is (docs/decisions/081).
import { isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { isAttemptKey, readAttempt } from '../attempts.js';
import { newestWrite, ownObjects, type UploadFolder } from './upload-folders.js';

const READS_AT_ONCE = 16;

/** Times of the last write by upload, in ms since 1970; for plans and attempts that of their whole group. */
export interface LastWrites {
  readonly of: (folder: UploadFolder) => number | undefined;
  /** Attempts of which it cannot be read what they belong to, and why. */
  readonly unread: ReadonlyMap<UploadId, string>;
}

export const isAttempt = (folder: UploadFolder): boolean => ownObjects(folder).some(({ key }) => isAttemptKey(key));

/** Reads of which plan each of these attempts is. One GET for each. @throws what the store throws */
export async function lastWrites(
  reader: ObjectReader,
  folders: ReadonlyMap<string, UploadFolder>,
  { attempts, signal }: { readonly attempts: readonly UploadFolder[]; readonly signal: AbortSignal },
): Promise<LastWrites> {
  const planOf = new Map<UploadId, UploadId>();
  const newest = new Map<UploadId, number>();
  const unread = new Map<UploadId, string>();
  const note = (plan: UploadId, folder: UploadFolder | undefined): void => {
    const at = folder && newestWrite(folder)?.getTime();
    if (at !== undefined) newest.set(plan, Math.max(at, newest.get(plan) ?? 0));
  };
  await forEachLimit(attempts, READS_AT_ONCE, async (folder) => {
    try {
      const attempt = await readAttempt(reader, folder.uploadId, signal);
      if (attempt === undefined) return;
      planOf.set(folder.uploadId, attempt.plan);
      planOf.set(attempt.plan, attempt.plan);
      note(attempt.plan, folder);
      note(attempt.plan, folders.get(attempt.plan));
    } catch (error) {
      if (!isArchiverError(error, 'integrity', 'unsupported', 'access-denied', 'cold-storage')) throw error;
      unread.set(folder.uploadId, error.message);
    }
  });
  const of = (folder: UploadFolder): number | undefined => {
    const plan = planOf.get(folder.uploadId);
    return (plan === undefined ? undefined : newest.get(plan)) ?? newestWrite(folder)?.getTime();
  };
  return { of, unread };
}
