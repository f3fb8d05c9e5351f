// User and group names for numbers, from /etc/passwd and /etc/group. Directory services are not asked: names are for
// people, numbers are what is restored.
import { readFileSync } from 'node:fs';
import type { AccountNames } from '../../format/manifest/entry-line.js';
import { type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';

/** Reads the names in this machine's files; none on platforms without them. */
export function readAccountNames(folder = '/etc'): AccountNames {
  const users = readColonFile(`${folder}/passwd`);
  const groups = readColonFile(`${folder}/group`);
  return { user: (uid) => users.get(uid), group: (gid) => groups.get(gid) };
}

function readColonFile(path: string): ReadonlyMap<number, RawPath> {
  const names = new Map<number, RawPath>();
  let text: RawPath;
  try {
    text = rawFromBytes(readFileSync(path));
  } catch {
    return names; // a platform or container without the file: numbers alone
  }
  for (const line of text.split('\n')) {
    const [name, , id] = line.split(':');
    const number = Number(id);
    if (name !== undefined && name !== '' && id !== undefined && id !== '' && !names.has(number))
      names.set(number, name);
  }
  return names;
}
