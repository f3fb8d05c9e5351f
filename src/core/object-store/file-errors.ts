// Turns a system error of the local folder store into one sentence that names the file.
import { cancelledError, errorText, isArchiverError, systemCode, type ErrorCode } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';
import { StoreError } from './store-error.js';

interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint?: string;
  readonly retriable?: boolean;
}

const FULL = 'free some space there, or choose another folder';
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOENT: { code: 'not-found', text: 'there is no such file' },
  EISDIR: { code: 'not-found', text: 'it is a folder, not a file' },
  EEXIST: { code: 'conflict', text: 'it exists already' },
  ENOTEMPTY: { code: 'store', text: 'a folder of that name is in the way' },
  ENOTDIR: {
    code: 'store',
    text: 'a file lies where a folder is needed',
    hint: 'move the file away, or choose another folder',
  },
  EACCES: { code: 'access-denied', text: 'permission denied', hint: 'check the owner and mode of the folder' },
  EPERM: {
    code: 'access-denied',
    text: 'the operation is not permitted',
    hint: 'check the owner, mode and attributes of the folder',
  },
  EROFS: {
    code: 'access-denied',
    text: 'the file system is mounted read-only',
    hint: 'mount it writable, or choose another folder',
  },
  ENOSPC: { code: 'no-space', text: 'no space is left on the device', hint: FULL },
  EDQUOT: { code: 'no-space', text: 'the disk quota is used up', hint: FULL },
  EFBIG: {
    code: 'no-space',
    text: 'the file is larger than the file system or a limit allows',
    hint: 'choose a folder on another file system, or raise the limit (ulimit -f)',
  },
  ENAMETOOLONG: {
    code: 'unsupported',
    text: 'the name is longer than the file system allows (255 bytes for each folder or file)',
  },
  // Our own limit, which threads and requests are fitted to: waiting does not widen it.
  EMFILE: { code: 'io', text: 'too many files are open', hint: 'raise the limit (ulimit -n)' },
  ENFILE: { code: 'io', text: 'too many files are open on this computer', retriable: true },
  EBUSY: { code: 'io', text: 'it is busy', retriable: true },
  EIO: { code: 'io', text: 'the device reports an input/output error', hint: 'check the disk' },
  ESTALE: { code: 'io', text: 'the network file system lost the file (stale handle)', retriable: true },
  ELOOP: { code: 'io', text: 'too many symbolic links' },
};

/** Names a failure on a file. An ArchiverError passes through; an abort becomes `cancelled`. */
export function fileError(error: unknown, doing: string, path: string): Error {
  if (isArchiverError(error)) return error;
  if (error instanceof Error && error.name === 'AbortError') return cancelledError();
  const reason = systemCode(error);
  // Reading a folder finds no object; writing over one finds an obstacle.
  const known = doing === 'write' && reason === 'EISDIR' ? 'ENOTEMPTY' : (reason ?? '');
  const meaning: Meaning = MEANINGS[known] ?? { code: 'io', text: errorText(error) };
  const { code, text, ...options } = meaning;
  return new StoreError(code, `cannot ${doing} ${printable(path)}: ${text}`, { ...options, reason, cause: error });
}
