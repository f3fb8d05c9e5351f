// Paths that are left out of an archive, and why, in words; other failures are not about one path.
import { systemText } from '../../platform/failures/errno.js';
import { systemCode } from '../../platform/failures/errors.js';
import { displayPath, pathBelow, type RawPath, TOP } from '../../platform/paths/raw-path.js';

export interface Skip {
  readonly path: RawPath;
  readonly reason: string;
  /** Special files are left out by design; anything else makes the upload partial. */
  readonly special: boolean;
  readonly isFolder?: boolean;
}

/** Reason for a file that never held still: it is stored as it was read last, so it is not left out. */
export const CHANGED = 'changed while it was being read';
/** Reason for a file that several workers pack, each a share: none would know what the others have read. */
export const CHANGED_SINCE = 'changed after it was planned';
export const NO_FILE = 'is no longer a regular file';
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'vanished while it was being read',
  ELOOP: 'became a symbolic link while it was being read',
  EXDEV: 'became a symbolic link while it was being read',
  ESPIPE: NO_FILE,
  EISDIR: NO_FILE,
};

/** A path that cannot be archived for a reason of ours; the message is what the report says. */
export class NotArchivable extends Error {
  override readonly name = 'NotArchivable';
}

/** Whether `error` is about one path only, so that the rest can go on; a defect or a broken encoder is not. */
export const isPathError = (error: unknown): boolean =>
  error instanceof NotArchivable ||
  (error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number');

/** Returns in words why a path could not be read. */
export function reasonOf(error: unknown, otherwise: string): string {
  if (error instanceof NotArchivable) return error.message;
  const code = systemCode(error);
  if (code === undefined) return otherwise;
  return REASONS[code] ?? `${systemText(error) ?? otherwise} (${code})`;
}

/** Returns a skip as results show it: the path of a folder ends in a slash. */
export const shownSkip = ({ path, reason, isFolder }: Skip): { path: string; reason: string } => ({
  path: displayPath(isFolder === true ? pathBelow(path, TOP) : path),
  reason,
});
