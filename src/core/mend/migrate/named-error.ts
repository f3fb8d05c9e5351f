import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

/** What is wrong with an archive, with its name; other errors stay what they are. */
export function namedError(error: unknown, url: string): unknown {
  if (!isArchiverError(error, 'integrity', 'unsupported')) return error;
  return new ArchiverError(error.code, `${printable(url)} cannot be migrated: ${error.message}`, {
    hint: error.hint ?? 'nothing was uploaded',
    cause: error,
  });
}
