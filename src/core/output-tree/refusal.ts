// Reasons why one file could not be restored, in words.
import { ArchiverError, errorText, isArchiverError, systemCode } from '../failures/errors.js';

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  EISDIR: 'a folder is in its place, and folders are never replaced by files',
  ENOTEMPTY: 'a folder is in its place, and folders are never replaced by files',
  ENAMETOOLONG: 'the name is too long for this file system',
  EINVAL: 'the file system does not allow this name',
  EILSEQ: 'the file system does not allow this name',
  EEXIST: 'something else is in its place',
  EFBIG: 'it is larger than this file system allows',
  EIO: 'the disk reports an input/output error',
};

/** A refusal to walk through what is no folder, or through a link to one. */
export function refusal(error: unknown): Error {
  const code = systemCode(error);
  if (code === 'ELOOP')
    return new ArchiverError('io', 'refused: a symbolic link is in the place of one of its folders', { cause: error });
  if (code === 'ENOTDIR')
    return new ArchiverError('io', 'refused: a file or link is in the place of one of its folders', { cause: error });
  return error instanceof Error ? error : new Error(errorText(error));
}

/** Why this one failed, for the list of failures. */
export function failureReason(error: unknown): string {
  if (isArchiverError(error)) return error.message;
  const code = systemCode(error);
  return (code !== undefined ? WORDS[code] : undefined) ?? errorText(error);
}

const FATAL: Readonly<Record<string, readonly [code: 'no-space' | 'io', words: string]>> = {
  ENOSPC: ['no-space', 'no space is left on the disk of the output folder'],
  EDQUOT: ['no-space', 'the disk quota of the output folder is used up'],
  EROFS: ['io', 'the output folder is on a file system that cannot be written to'],
  EMFILE: ['io', 'too many files are open'],
  ENFILE: ['io', 'too many files are open on this system'],
};

/** The error that ends the whole restore, when going on with the next file makes no sense. */
export function fatalError(error: unknown): ArchiverError | undefined {
  const [code, words] = FATAL[systemCode(error) ?? ''] ?? [];
  return code === undefined || words === undefined ? undefined : new ArchiverError(code, words, { cause: error });
}
