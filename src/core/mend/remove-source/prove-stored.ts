// Reads a version back from the store, every chunk and the MD5 of every file, before anything of its source may be removed.
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import type { EventSink, TransferEvent } from '../../events/events.js';
import { problemText } from '../verify/problem.js';
import { verifyUpload, type VerifyOptions } from '../verify/verify.js';
import type { StoredEntries } from './stored-entries.js';

export type ProofOptions = Pick<
  VerifyOptions,
  'reader' | 'uploadId' | 'now' | 'requestsAtOnce' | 'memoryLimitBytes' | 'emit' | 'signal'
>;

/** Events that are not about how much is done: totals of the upload are not those of what follows it. */
const TOLD: ReadonlySet<TransferEvent['type']> = new Set(['note', 'retry', 'settled']);

/**
 * Returns once everything that the entries say was found in the store. @throws integrity for damage, and for whatever was not looked at;
 * cold-storage; what the store says
 */
export async function proveStored(entries: StoredEntries, options: ProofOptions): Promise<void> {
  const emit: EventSink = (event) => TOLD.has(event.type) && options.emit(event);
  const found = await verifyUpload({ ...options, emit, mode: 'deep', sample: 1, random: () => 0 });
  const [first] = found.errors;
  if (first !== undefined) {
    const more = found.errorCount > 1 ? ` (and ${found.errorCount - 1} more)` : '';
    throw integrityError(`what is stored is damaged: ${problemText(first)}${more}`, { hint: found.hint ?? undefined });
  }
  const cold = found.unreadCold.reduce((sum, { chunks }) => sum + chunks, 0);
  if (cold > 0)
    throw new ArchiverError('cold-storage', `${cold} of its chunks lie in cold storage and cannot be read back`);
  if (found.record === undefined)
    throw integrityError('its version record cannot be read, so nothing says that it is committed');
  let contents = 0;
  for (let index = 0; index < entries.table.count; index++)
    if (entries.table.type(index) === 'file' || entries.table.type(index) === 'hardlink') contents++;
  if (!found.ok || found.checked !== 'content' || found.filesRead !== contents || found.entries !== entries.table.count)
    throw integrityError(`${found.filesRead} of ${contents} files could be read back`);
}
