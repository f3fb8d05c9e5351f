import { link, stat, unlink } from 'node:fs/promises';
import { systemCode } from '../../platform/failures/errors.js';
import { fileError } from './file-errors.js';
import { PRIVATE } from './file-modes.js';
import { openTemp } from './file-temp.js';
import { NO_HARD_LINKS } from './file-write.js';

/** Whether files in this folder can have a second name; tries it with a temp file. @throws access-denied, no-space, io */
export async function hasHardLinks(folder: string, linkFile = link): Promise<boolean> {
  try {
    const { path, handle } = await openTemp(folder, PRIVATE);
    await handle.close();
    const second = `${path}.link`;
    try {
      await linkFile(path, second);
      return (await stat(path)).nlink > 1;
    } catch (error) {
      if (NO_HARD_LINKS.has(systemCode(error) ?? '')) return false;
      throw error;
    } finally {
      await Promise.all([path, second].map((one) => unlink(one).catch(() => undefined)));
    }
  } catch (error) {
    throw fileError(error, 'write', folder);
  }
}
