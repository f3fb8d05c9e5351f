// Modes of what the local folder store writes. Source files may be private, and a chunk mixes them: files are readable for their owner
// only, and so are folders that the store creates, unless --store-mode says otherwise.
import type { FileHandle } from 'node:fs/promises';
import { chmod } from 'node:fs/promises';
import { systemCode } from '../../platform/failures/errors.js';

export interface FileModes {
  readonly file: number;
  readonly folder: number;
  /** True if the modes hold whatever the umask is. */
  readonly isExact: boolean;
}

export const PRIVATE: FileModes = { file: 0o600, folder: 0o700, isExact: false };

/** Returns the modes that --store-mode asks for: those who may read a file may also enter its folder. */
export function modesOf(storeMode: number | undefined): FileModes {
  if (storeMode === undefined) return PRIVATE;
  return { file: storeMode, folder: storeMode | ((storeMode & 0o444) >> 2), isExact: true };
}

/** Ignores the failure of a file system without modes, such as EPERM; its mount options decide. @throws every other error */
export function ignoreModeless(error: unknown): void {
  if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
}

/** Gives a file that was just made its mode. */
export async function applyFileMode(handle: FileHandle, { file, isExact }: FileModes): Promise<void> {
  if (isExact) await handle.chmod(file).catch(ignoreModeless);
}

/** Gives a folder that was just made its mode. */
export async function applyFolderMode(path: string, { folder, isExact }: FileModes): Promise<void> {
  if (isExact) await chmod(path, folder).catch(ignoreModeless);
}
