import { printable } from '../paths/raw-path.js';
import { meaningOf } from './errno.js';
import { ArchiverError, errorText, systemCode } from './errors.js';

/** Makes the error for a failed system call on one of the program's own files: `cannot read PATH (EACCES)`. */
export function fileFailure(verb: 'read' | 'write' | 'remove', path: string, error: unknown): ArchiverError {
  const code = systemCode(error);
  const kind = meaningOf(code)?.code;
  const isNamed = kind === 'access-denied' || kind === 'no-space';
  return new ArchiverError(isNamed ? kind : 'io', `cannot ${verb} ${printable(path)} (${code ?? errorText(error)})`, {
    cause: error,
  });
}
