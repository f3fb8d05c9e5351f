// User and group names for numbers, and numbers for names, from /etc/passwd and /etc/group. Directory services are not asked: names are for
// people, numbers are what is restored.
import { readFileSync } from 'node:fs';
import type { AccountNames } from '../../format/manifest/entry-line.js';
import type { AccountIds } from '../../format/tar/posix-acl.js';
import { type RawPath, rawFromBytes, rawFromLatin1 } from '../../platform/paths/raw-path.js';

/** Reads the names in this machine's files; none on platforms without them. */
export function readAccountNames(folder = '/etc'): AccountNames {
  const users = byNumber(`${folder}/passwd`);
  const groups = byNumber(`${folder}/group`);
  return { user: (uid) => users.get(uid), group: (gid) => groups.get(gid) };
}

/** Reads the numbers in this machine's files; none on platforms without them. */
export function readAccountIds(folder = '/etc'): AccountIds {
  const users = new Map(readColonFile(`${folder}/passwd`).toReversed());
  const groups = new Map(readColonFile(`${folder}/group`).toReversed());
  return { user: (name) => users.get(name), group: (name) => groups.get(name) };
}

const byNumber = (path: string): ReadonlyMap<number, RawPath> =>
  new Map(Array.from(readColonFile(path).toReversed(), ([name, number]) => [number, name]));

/** Names with their numbers, in the order of the file, whose first line counts. */
function readColonFile(path: string): (readonly [name: RawPath, number: number])[] {
  let text: RawPath;
  try {
    text = rawFromBytes(readFileSync(path));
  } catch {
    return []; // a platform or container without the file: numbers alone
  }
  return text.split('\n').flatMap((line) => {
    const [name = '', , id = ''] = line.split(':');
    return name === '' || id === '' ? [] : [[rawFromLatin1(name), Number(id)] as const];
  });
}
