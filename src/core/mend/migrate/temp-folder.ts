// The private folder of one migration, or of one restore drill: nobody else may enter it, so owners, modes and setuid bits of the archive can be set in it
// unchanged. It is removed with everything in it.
import fs from 'node:fs';
import { join } from 'node:path';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, systemCode } from '../../platform/failures/errors.js';
import {
  fsPath,
  printable,
  type RawPath,
  rawFromText,
  rawFromBytes,
  pathBelow,
} from '../../platform/paths/raw-path.js';
import type { FreeSpace } from './temp-space.js';

const PREFIX = 'archiver-migrate-';

export class TempFolder {
  /** Holds the extracted files: their top folder's mode must not open the private folder around it. */
  readonly data: string;

  private constructor(readonly path: string) {
    this.data = join(path, 'data');
  }

  /** Makes a folder in `parent`, which the user names with `flag`. @throws not-found, access-denied, io */
  static make(parent: string, { prefix, flag } = { prefix: PREFIX, flag: '--temp-dir' }): TempFolder {
    try {
      const folder = new TempFolder(fs.mkdtempSync(join(fs.realpathSync(parent), prefix)));
      fs.mkdirSync(folder.data, { mode: 0o755 });
      fs.chmodSync(folder.data, 0o755); // whatever the umask
      return folder;
    } catch (error) {
      const code = systemCode(error);
      const what = `cannot make a temporary folder in ${printable(parent)}`;
      const hint = `name a folder that can be written to with ${flag}`;
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        throw new ArchiverError('not-found', `${what}: there is no such folder`, { hint, cause: error });
      }
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
        throw new ArchiverError('access-denied', `${what}: it cannot be written to`, { hint, cause: error });
      }
      throw new ArchiverError('io', `${what}: ${reasonText(error)}`, { hint, cause: error });
    }
  }

  /** Removes the folder with everything in it. @throws io naming what is left */
  async remove(): Promise<void> {
    const remove = (): Promise<void> => fs.promises.rm(this.path, { recursive: true, force: true });
    try {
      await remove().catch((error: unknown) => {
        if (systemCode(error) !== 'EACCES' && systemCode(error) !== 'EPERM') throw error;
        openFolders(rawFromText(this.path));
        return remove();
      });
    } catch (error) {
      throw new ArchiverError(
        'io',
        `the temporary folder ${printable(this.path)} could not be removed: ${reasonText(error)}`,
        {
          hint: 'remove it by hand',
          cause: error,
        },
      );
    }
  }
}

// Nothing can be removed from a folder that denies writing to its owner. Links are not followed: only folders are entered.
function openFolders(folder: RawPath): void {
  fs.chmodSync(fsPath(folder), 0o700);
  for (const entry of fs.readdirSync(fsPath(folder), { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) openFolders(pathBelow(folder, rawFromBytes(entry.name)));
  }
}

/** Returns the free space of this folder's file system for this user. @throws the system's error */
export function freeSpaceOf(path: string): FreeSpace {
  const { bavail, blocks, bsize, ffree, files } = fs.statfsSync(path);
  return { bytes: bavail * bsize, totalBytes: blocks * bsize, files: files > 0 ? ffree : undefined };
}
