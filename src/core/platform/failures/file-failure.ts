import { printable } from '../paths/raw-path.js';
import { meaningOf } from './errno.js';
import { ArchiverError, errorText, systemCode } from './errors.js';

/** A failed system call on a file of the program's own: `cannot read PATH (EACCES)`. */
export function fileFailure(verb: 'read' | 'write' | 'remove', path: string, error: unknown): ArchiverError {
  const code = systemCode(error);
  const kind = meaningOf(code)?.code;
  const isNamed = kind === 'access-denied' || kind === 'no-space';
  return new ArchiverError(isNamed ? kind : 'io', `cannot ${verb} ${printable(path)} (${code ?? errorText(error)})`, {
    cause: error,
  });
}
