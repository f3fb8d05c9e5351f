// The working directory, where relative paths begin.
import { statSync } from 'node:fs';
import { ArchiverError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';

export interface WorkingFolder {
  readonly cwd: string;
  /** False if the path does not lead to the folder: it has bytes that are not UTF-8, or the folder is deleted. */
  readonly isCwdThere?: boolean;
}

/** Returns the working directory of this process. */
export function workingFolder(): WorkingFolder {
  let cwd = '/';
  try {
    cwd = process.cwd();
    const [named, own] = [statSync(cwd), statSync('.')];
    return { cwd, isCwdThere: named.ino === own.ino && named.dev === own.dev };
  } catch {
    return { cwd, isCwdThere: false }; // reported when a command is run there
  }
}

/** Refuses a working directory whose path does not lead to it, as relative paths would lead elsewhere. @throws io */
export function checkWorkingFolder({ cwd, isCwdThere }: WorkingFolder): void {
  if (isCwdThere !== false) return;
  const why = cwd.includes('\ufffd') ? `has a path that is not UTF-8: ${printable(cwd)}` : 'is no longer there';
  throw new ArchiverError('io', `the folder that archiver was started in ${why}`, {
    hint: 'go to another folder (cd), or give this one another name',
  });
}
