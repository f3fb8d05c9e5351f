// Where the folder of a source lies: a path that leads elsewhere than before, or to another file system, is another folder under the same
// name. Device numbers change when a computer starts, so a file system is known by where it is mounted, its type and its UUID.
import { readdir, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { undefinedOn } from '../../platform/failures/errors.js';

export const PLACE = s.schema(() =>
  s.object({
    /** The path without symbolic links. */
    real: s.text,
    /** Topmost folder of its file system. */
    mount: s.text,
    /** Type of the file system, as statfs has it. */
    type: s.count,
    /** UUID of the file system; null where it is not known, and is not compared then. */
    uuid: s.orNull(s.text),
  }),
);

export type Place = s.Read<typeof PLACE>;

const UUIDS = '/dev/disk/by-uuid';

/** Returns the place of a folder; undefined where there is none. @throws what the system says of a folder that cannot be looked at */
export async function placeOf(path: string): Promise<Place | undefined> {
  const real = await realpath(path).catch(undefinedOn('ENOENT', 'ENOTDIR'));
  if (real === undefined) return undefined;
  const { dev } = await stat(real);
  const { type } = await statfs(real);
  return { real, mount: await mountOf(real, dev), type: Math.abs(type), uuid: await uuidOf(dev) };
}

async function mountOf(folder: string, dev: number): Promise<string> {
  const above = dirname(folder);
  if (above === folder) return folder;
  return (await stat(above)).dev === dev ? await mountOf(above, dev) : folder;
}

/** Returns the UUID of the file system on a device; null where the system does not tell. */
async function uuidOf(dev: number): Promise<string | null> {
  const names = (await readdir(UUIDS).catch(undefinedOn('ENOENT', 'EACCES', 'EPERM'))) ?? [];
  for (const name of names) {
    const found = await stat(join(UUIDS, name)).catch(undefinedOn('ENOENT', 'EACCES', 'EPERM'));
    if (found?.rdev === dev) return name;
  }
  return null;
}

/** Says how a path leads elsewhere than before; undefined when it does not. */
export function movedText(before: Place, now: Place): string | undefined {
  if (before.real !== now.real) return `leads to ${now.real}, and led to ${before.real}`;
  const isOther = before.uuid !== null && now.uuid !== null && before.uuid !== now.uuid;
  if (before.mount === now.mount && before.type === now.type && !isOther) return undefined;
  return `lies on the file system ${fileSystemText(now)}, and lay on ${fileSystemText(before)}`;
}

const fileSystemText = ({ mount, type, uuid }: Place): string =>
  `at ${mount} (${uuid === null ? `type 0x${type.toString(16)}` : uuid})`;
