// The metadata of restored paths. Pure; properties of the process are parameters.
import type { Folder, Metadata } from '../output-tree/output-tree.js';
import type { SelectedTable } from '../plan/selected-table.js';
import type { WriteSettings } from '../output-tree/write-settings.js';

const PERMISSIONS = 0o777;
const STICKY = 0o1000;
const ALL_BITS = 0o7777;

/**
 * Returns the permission bits to restore: setuid, setgid and, on files, sticky only when asked for, because an archive must not be able to
 * plant a program that runs as another user.
 */
export function restoredMode(mode: number, isFolder: boolean, keepSpecialBits: boolean): number {
  if (keepSpecialBits) return mode & ALL_BITS;
  return mode & (isFolder ? PERMISSIONS | STICKY : PERMISSIONS);
}

type Owners = Pick<WriteSettings, 'isRoot' | 'uid'>;

/** Returns the owner to set; undefined if a new file has it already or the process may not set it. */
export function restoredOwner(
  { uid, gid }: { readonly uid: number; readonly gid: number },
  { newGroup }: Folder,
  { isRoot, uid: own }: Owners,
): Metadata['owner'] {
  return isRoot && (uid !== own || gid !== newGroup) ? { uid, gid } : undefined;
}

/** Returns the metadata of a new file, without what it has from its creation with `creationMode`. */
export function fileMetadata(
  table: SelectedTable,
  index: number,
  folder: Folder,
  settings: WriteSettings,
): { readonly creationMode: number; readonly metadata: Metadata } {
  const c = table.columns;
  const mode = restoredMode(c.mode[index] ?? 0, false, settings.keepSpecialBits);
  const creationMode = mode & PERMISSIONS;
  const owner = restoredOwner({ uid: c.uid[index] ?? 0, gid: c.gid[index] ?? 0 }, folder, settings);
  const isModeSet = (creationMode & ~settings.umask) === mode;
  const mtime = { seconds: c.mtimeSeconds[index] ?? 0, nanos: c.mtimeNanos[index] ?? 0 };
  return { creationMode, metadata: { mtime, mode: isModeSet ? undefined : mode, owner } };
}
