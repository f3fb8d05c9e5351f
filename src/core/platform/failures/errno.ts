// Texts for the codes of failed system calls. The only such table: code that knows more about a situation ("a folder is in its place") has
// its own text, and uses this table otherwise.
import { type ErrorCode, errorText, systemCode } from './errors.js';

export interface Meaning {
  readonly code: ErrorCode;
  /** Follows a colon; no full stop. */
  readonly text: string;
  /** A step that helps wherever it happens. */
  readonly hint?: string;
  /** True when the same call may succeed later. */
  readonly retriable?: boolean;
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  EACCES: { code: 'access-denied', text: 'permission denied' },
  EPERM: { code: 'access-denied', text: 'the operation is not permitted' },
  EROFS: { code: 'access-denied', text: 'the file system is mounted read-only' },
  ENOENT: { code: 'not-found', text: 'there is no such file' },
  EISDIR: { code: 'io', text: 'it is a folder, not a file' },
  ENOTDIR: { code: 'io', text: 'there is a file where a folder is needed' },
  EEXIST: { code: 'conflict', text: 'it exists already' },
  ENOTEMPTY: { code: 'io', text: 'a folder of that name is in the way' },
  ENAMETOOLONG: { code: 'unsupported', text: 'the name is longer than the file system allows' },
  ELOOP: { code: 'io', text: 'too many symbolic links' },
  ENOSPC: { code: 'no-space', text: 'no space is left on the device', hint: 'free some space' },
  EDQUOT: { code: 'no-space', text: 'the disk quota is used up', hint: 'free some space' },
  EFBIG: { code: 'no-space', text: 'the file is larger than the file system or a limit allows' },
  // This is our own limit, which threads and requests are adapted to: waiting does not raise it.
  EMFILE: { code: 'io', text: 'too many files are open', hint: 'raise the limit of open files (ulimit -n)' },
  ENFILE: {
    code: 'io',
    text: 'too many files are open on this computer',
    hint: 'close some programs: this computer has too many files open',
    retriable: true,
  },
  ENOMEM: { code: 'io', text: 'no memory is left', hint: 'free some memory' },
  EBUSY: { code: 'io', text: 'it is busy', retriable: true },
  EIO: { code: 'io', text: 'the device reports an input/output error', hint: 'check the disk' },
  ESTALE: { code: 'io', text: 'the network file system lost the file', retriable: true },
  EBADF: { code: 'io', text: 'it is closed, or not open for this' },
};

/** Returns the meaning of a code; undefined for one that is not in the table. */
export const meaningOf = (code: string | undefined): Meaning | undefined => MEANINGS[code ?? ''];

/** Describes a failed system call; undefined for other errors, and for codes that are not in the table. */
export const systemText = (error: unknown): string | undefined => meaningOf(systemCode(error))?.text;

/** Describes why something failed: by the table for a failed system call, otherwise by the error's message. */
export const reasonText = (error: unknown): string => systemText(error) ?? errorText(error);
