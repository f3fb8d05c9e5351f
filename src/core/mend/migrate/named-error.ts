import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

/** Adds the archive's URL to an error about its contents; returns other errors as they are. */
export function namedError(error: unknown, url: string): unknown {
  if (!isArchiverError(error, 'integrity', 'unsupported')) return error;
  return new ArchiverError(error.code, `${printable(url)} cannot be migrated: ${error.message}`, {
    hint: error.hint ?? 'nothing was uploaded',
    cause: error,
  });
}
