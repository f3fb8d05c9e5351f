// Explains in words why one file could not be restored.
import { meaningOf, reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';

const OBSTACLE = 'a folder is in its place, and folders are never replaced by files';
const WORDS: Readonly<Record<string, string>> = {
  EISDIR: OBSTACLE,
  ENOTEMPTY: OBSTACLE,
  EINVAL: 'the file system does not allow this name',
  EILSEQ: 'the file system does not allow this name',
  EEXIST: 'something else is in its place',
};

/** Makes the refusal to walk through what is no folder, or through a link to one; returns other errors as they are. */
export function refusal(error: unknown): Error {
  const code = systemCode(error);
  if (code === 'ELOOP')
    return new ArchiverError('io', 'refused: a symbolic link is in the place of one of its folders', { cause: error });
  if (code === 'ENOTDIR')
    return new ArchiverError('io', 'refused: a file or link is in the place of one of its folders', { cause: error });
  return error instanceof Error ? error : new Error(errorText(error));
}

/** Returns why a file failed, for the list of failures. */
export function failureReason(error: unknown): string {
  if (isArchiverError(error)) return error.message;
  return WORDS[systemCode(error) ?? ''] ?? reasonText(error);
}

/** Errors of the disk or the process, not of one file. */
const FATAL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE']);

/** Returns the error that ends the whole restore, when going on with the next file makes no sense; otherwise undefined. */
export function fatalError(error: unknown): ArchiverError | undefined {
  const code = systemCode(error) ?? '';
  const meaning = meaningOf(code);
  if (meaning === undefined || !FATAL.has(code)) return undefined;
  const { text, hint } = meaning;
  return new ArchiverError(
    meaning.code === 'no-space' ? 'no-space' : 'io',
    `the output folder cannot be written to: ${text}`,
    { cause: error, hint },
  );
}
