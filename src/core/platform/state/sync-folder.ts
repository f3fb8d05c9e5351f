import { open, type FileHandle } from 'node:fs/promises';
import { systemCode } from '../failures/errors.js';

// Error codes of file systems that cannot flush a folder.
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EBADF', 'EISDIR', 'EACCES', 'EPERM']);

/** Flushes a folder's list of names to disk, if the file system can. @throws system errors */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(systemCode(error) ?? '')) throw error;
  } finally {
    await handle?.close();
  }
}
