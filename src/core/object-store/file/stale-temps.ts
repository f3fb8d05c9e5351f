// Temp files of killed writers. No listing shows them, so whoever deletes keys below a folder removes them as well.
import type { Dirent } from 'node:fs';
import { readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../failures/errors.js';
import { TEMP_PREFIX } from './file-keys.js';

const STALE_MS = 86_400_000;

/** The file system's time in milliseconds, asked once and only when it is needed. */
export type AskTime = () => Promise<number>;

/**
 * Removes those at any depth below `folder` that nobody wrote to for a day, and the folders that held nothing else.
 * @returns whether there were any
 */
export async function removeStaleTemps(folder: string, askTime: AskTime): Promise<boolean> {
  let isAnyGone = false;
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    const isTemp = entry.isFile() && entry.name.startsWith(TEMP_PREFIX);
    const isGone = entry.isDirectory()
      ? await removeStaleTemps(path, askTime)
      : isTemp && (await removeStale(path, askTime));
    isAnyGone ||= isGone;
  }
  if (isAnyGone) await rmdir(folder).catch(ignoreBusy);
  return isAnyGone;
}

/** Nothing for a folder that is gone or closed to us: what it holds takes space and does no harm. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return [];
    throw error;
  }
}

async function removeStale(path: string, askTime: AskTime): Promise<boolean> {
  try {
    // Never by our clock: a computer that is days ahead would remove what others are writing.
    if ((await askTime()) - (await stat(path)).mtimeMs < STALE_MS) return false;
    await unlink(path);
    return true;
  } catch (error) {
    return ignoreBusy(error);
  }
}

/** The folder holds something else, another process was faster, or the folder is closed to us. */
function ignoreBusy(error: unknown): false {
  if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return false;
  throw error;
}
