// Whether what is used can be counted in a book that machines share: not where two of them could overwrite each other's count.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { asWritable } from '../../store/create-once/create-once.js';
import type { RememberOptions } from '../../store/create-once/remembered-answers.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { newUploadId, uploadFolder } from '../../store/ids/upload-id.js';
import type { OpenedStore } from '../../store/open-store.js';
import { refuseShared } from '../../store/plain-store.js';

/** The store of a book as it is written to. @throws what keeps it from answering whether it creates a key only once */
export async function writableBook(opened: OpenedStore, options: RememberOptions): Promise<OpenedStore> {
  const folder = uploadFolder(newUploadId(options.now, randomBytes(4)));
  return await asWritable(opened, { ...options, host: hostname(), dryRun: false, folder, randomBytes });
}

/** Before anything is used. @throws plain-store, and what `writableBook` throws */
export async function refuseUncounted(opened: OpenedStore, options: RememberOptions): Promise<void> {
  const { store } = await writableBook(opened, options);
  try {
    refuseShared(store, 'counting in one book of budgets');
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    const hint = 'keep the budgets in another store (--budget-store), or go on without them (--ignore-budget)';
    throw new ArchiverError(error.code, `${error.message}; nothing was sent`, { cause: error, hint });
  }
}
