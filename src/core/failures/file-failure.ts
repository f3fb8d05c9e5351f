import { printable } from '../paths/raw-path.js';
import { ArchiverError, type ErrorCode, errorText, systemCode } from './errors.js';

const CODES: Readonly<Record<string, ErrorCode>> = {
  EACCES: 'access-denied',
  EPERM: 'access-denied',
  EROFS: 'access-denied',
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
};

/** A failure of the system at a file that the program keeps for itself: `cannot read PATH (EACCES)`. */
export function fileFailure(verb: 'read' | 'write' | 'remove', path: string, error: unknown): ArchiverError {
  const code = systemCode(error);
  return new ArchiverError(
    CODES[code ?? ''] ?? 'io',
    `cannot ${verb} ${printable(path)} (${code ?? errorText(error)})`,
    { cause: error },
  );
}
