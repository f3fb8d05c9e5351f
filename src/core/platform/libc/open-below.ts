// Opening folders below an open one, through no symbolic link.
import type { RawPath } from '../paths/raw-path.js';
import { type Libc, O_DIRECTORY, O_NOFOLLOW, O_RDONLY } from './libc.js';

export const FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** Opens a folder that exists below `root`: in one call if the kernel can, otherwise part by part. @throws system errors */
export function openFolderBelow(libc: Libc, root: number, path: RawPath): number {
  if (libc.openBeneath !== undefined) return libc.openBeneath(root, path, FOLDER_FLAGS);
  let fd = root;
  for (const part of path.split('/')) {
    try {
      const next = libc.openat(fd, part, FOLDER_FLAGS, 0);
      if (fd !== root) libc.close(fd);
      fd = next;
    } catch (error) {
      if (fd !== root) libc.close(fd);
      throw error;
    }
  }
  return fd;
}
