// Turns a system error of the local folder store into one sentence that names the file.
import { meaningOf, type Meaning } from '../../platform/failures/errno.js';
import { cancelledError, errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { StoreError } from '../store-error.js';

const FULL = 'free some space there, or choose another folder';
/** Meanings that differ from the general ones if the file is an object of a store. */
const HERE: Readonly<Record<string, Partial<Meaning>>> = {
  EISDIR: { code: 'not-found' },
  ENOTEMPTY: { code: 'store' },
  ENOTDIR: { code: 'store', hint: 'move the file away, or choose another folder' },
  EACCES: { hint: 'check the owner and mode of the folder' },
  EPERM: { hint: 'check the owner, mode and attributes of the folder' },
  EROFS: { hint: 'mount it writable, or choose another folder' },
  ENOSPC: { hint: FULL },
  EDQUOT: { hint: FULL },
  EFBIG: { hint: 'choose a folder on another file system, or raise the limit (ulimit -f)' },
  ENAMETOOLONG: { text: 'the name is longer than the file system allows (255 bytes for each folder or file)' },
};

/** Names a failure on a file. An ArchiverError passes through; an abort becomes `cancelled`. */
export function fileError(error: unknown, doing: string, path: string): Error {
  if (isArchiverError(error)) return error;
  if (error instanceof Error && error.name === 'AbortError') return cancelledError();
  const reason = systemCode(error);
  // When reading, a folder counts as no object; when writing, it is an obstacle.
  const known = doing === 'write' && reason === 'EISDIR' ? 'ENOTEMPTY' : (reason ?? '');
  const { code, text, ...options } = {
    ...(meaningOf(known) ?? { code: 'io', text: errorText(error) }),
    ...HERE[known],
  };
  return new StoreError(code, `cannot ${doing} ${printable(path)}: ${text}`, { ...options, reason, cause: error });
}
