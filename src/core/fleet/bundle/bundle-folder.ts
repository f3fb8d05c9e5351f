// Creates the folder of a bundle, completely or not at all.
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiverError, systemCode } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { printable } from '../../platform/paths/raw-path.js';
import { syncFolder } from '../../platform/state/sync-folder.js';

const FOLDER_MODE = 0o700;
const SECRET_MODE = 0o600;
const FILE_MODE = 0o644;

/** Makes the folder and its parents. @throws conflict when something of this name exists; access-denied, no-space, io */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fileFailure('write', folder, error);
    throw new ArchiverError('conflict', `${printable(folder)} exists, and a bundle is never written over another`, {
      hint: 'move it away, or name another folder with --out',
    });
  }
}

/** Writes a new file durably, with `mode` regardless of the umask. */
async function writeNew(folder: string, name: string, text: string, mode: number): Promise<void> {
  const path = join(folder, name);
  try {
    const handle = await open(path, 'wx', mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(folder);
  } catch (error) {
    throw fileFailure('write', path, error);
  }
}

/** Writes a file that only its owner may read. @throws access-denied, no-space, io */
export const writeSecret = (folder: string, name: string, text: string): Promise<void> =>
  writeNew(folder, name, text, SECRET_MODE);

/**
 * Makes the folder with these files, then does `work`; the folder is removed if that fails.
 * @throws conflict when it exists, access-denied, no-space, io, and what `work` throws
 */
export async function withNewBundle<T>(
  folder: string,
  files: ReadonlyMap<string, string>,
  work: () => Promise<T>,
): Promise<T> {
  await makeFolder(folder);
  try {
    for (const [name, text] of files) await writeNew(folder, name, text, FILE_MODE);
    return await work();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
