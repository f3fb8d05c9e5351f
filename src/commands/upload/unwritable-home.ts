// Warns once that archiver's own folder cannot be used, instead of for every file that is kept there.
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Messages, Places, Verbosity } from '../../cli/context.js';
import { reasonText } from '../../core/platform/failures/errno.js';
import { systemCode } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';

/** Returns why files cannot be kept in the folder (or, if it does not exist, why it cannot be made); undefined if they can. */
async function problemOf(folder: string): Promise<string | undefined> {
  try {
    await readdir(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isMissing = systemCode(error) === 'ENOENT' && dirname(folder) !== folder;
    return isMissing ? await problemOf(dirname(folder)) : reasonText(error);
  }
}

/** Warns of a home that cannot be used; returns a function to be called with further trouble in it. */
export async function warnOfUnwritableHome(
  context: Pick<Places, 'home'> & Pick<Messages, 'warn'> & Pick<Verbosity, 'debug'>,
): Promise<(text: string) => void> {
  const reason = await problemOf(context.home);
  if (reason === undefined) return (text) => context.warn(text);
  context.warn(
    `${printable(context.home)} cannot be used (${reason}): this cannot be resumed if it is interrupted, its cost is not recorded, and the next run ` +
      'has to fetch manifests again; ARCHIVER_HOME names another folder',
  );
  return (text) => context.debug(text);
}
