// Replaces a file atomically: after a crash, and for readers, it has either the old or the new text.
import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { undefinedOn } from '../failures/errors.js';
import { syncFolder } from './sync-folder.js';

/**
 * Writes `text` to `path`. Keeps the mode of an existing file (a new one gets `newMode`), and a symbolic link keeps pointing to the changed
 * file.
 */
export async function replaceFile(path: string, text: string | Uint8Array, newMode = 0o600): Promise<void> {
  // People may keep such files in a repository and link to them.
  const target = (await realpath(path).catch(undefinedOn('ENOENT'))) ?? path;
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  const mode = (await stat(target).catch(undefinedOn('ENOENT')))?.mode ?? newMode;
  const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(temporary, 'wx', mode & 0o777);
    try {
      await handle.writeFile(text);
      // `open` subtracts the umask.
      await handle.chmod(mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
    await syncFolder(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}
