// Checks that usage can be counted in a book that machines share: it cannot where two of them could overwrite each other's changes.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { asWritable } from '../../store/create-once/create-once.js';
import type { RememberOptions } from '../../store/create-once/remembered-answers.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { newUploadId, uploadFolder } from '../../store/ids/upload-id.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { OpenedStore } from '../../store/open-store.js';
import { refuseShared } from '../../store/plain-store.js';

/** Returns the book's store in its writable form. @throws errors that keep it from telling whether it creates a key only once */
export async function writableBook(opened: OpenedStore, options: RememberOptions): Promise<OpenedStore> {
  const folder = uploadFolder(newUploadId(options.now, randomBytes(4)));
  return await asWritable(opened, { ...options, host: hostname(), dryRun: false, folder, randomBytes });
}

/**
 * Checks before a run that its usage can be counted. @returns the book's store in its writable form
 * @throws plain-store, and what `writableBook` throws
 */
export async function refuseUncounted(opened: OpenedStore, options: RememberOptions): Promise<ObjectStore> {
  const { store } = await writableBook(opened, options);
  try {
    refuseShared(store, 'counting in one book of budgets');
    return store;
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    const hint = 'keep the budgets in another store (--budget-store), or go on without them (--ignore-budget)';
    throw new ArchiverError(error.code, `${error.message}; nothing was sent`, { cause: error, hint });
  }
}
