// Temp files and folders of the local folder store, and the clock of their timestamps. A killed run leaves at most a temp file that no
// listing shows and that a later delete removes (file-store.ts).
import { randomBytes } from 'node:crypto';
import { mkdir, open, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode, undefinedOn } from '../../platform/failures/errors.js';
import { syncFolder } from '../../platform/state/sync-folder.js';
import { writeFully } from '../../platform/state/write-fully.js';
import { TEMP_PREFIX } from './file-keys.js';
import { applyFileMode, applyFolderMode, PRIVATE, type FileModes } from './file-modes.js';

const FOLDER_TRIES = 5;

/**
 * Creates a folder and its parents, durably. Node's own `recursive` hides the reason of a failure: a read-only disk becomes "no such file".
 */
export async function makeFolder(folder: string, modes: FileModes): Promise<void> {
  try {
    await createFolder(folder, modes);
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (systemCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder), modes);
    await createFolder(folder, modes).catch(undefinedOn('EEXIST')); // another process was faster
  }
  await syncFolder(dirname(folder));
}

/** Creates one folder with its mode. @throws EEXIST and other system errors */
export async function createFolder(folder: string, modes: FileModes): Promise<void> {
  await mkdir(folder, { mode: modes.folder });
  await applyFolderMode(folder, modes);
}

/** Opens a new temp file in `folder`, which is created if needed (even when another process is just removing it). */
export async function openTemp(
  folder: string,
  modes: FileModes,
): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  for (let attempt = 1; ; attempt += 1) {
    const path = join(folder, `${TEMP_PREFIX}${randomBytes(8).toString('hex')}`);
    try {
      const handle = await open(path, 'wx', modes.file);
      await applyFileMode(handle, modes).catch(async (error: unknown) => {
        await handle.close();
        throw error;
      });
      return { path, handle };
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt >= FOLDER_TRIES) throw error;
      await makeFolder(folder, modes);
    }
  }
}

/** Returns the time by the clock that the file system of `folder` uses for timestamps; a server's may differ from ours. */
export async function fileSystemTime(folder: string, modes: FileModes = PRIVATE): Promise<Date> {
  const { path, handle } = await openTemp(folder, modes);
  try {
    try {
      await writeFully(handle, Buffer.from('\n'));
      // A network file system sets timestamps when data arrive.
      await handle.datasync();
      return (await handle.stat()).mtime;
    } finally {
      await handle.close();
    }
  } finally {
    await unlink(path).catch(() => undefined);
  }
}
