// Lists a folder tree as keys in byte order, as an S3 server would. A folder sorts as its name with a slash, because that is how its keys
// compare: `a-b` comes before `a/x`, and `a/x` before `ab`.
import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../platform/failures/errors.js';
import { fileError } from './file-errors.js';
import { RESERVED } from './file-keys.js';
import { throwIfCancelled } from '../store-error.js';

/** One line of a listing: a key, or with `isFolder` a folded folder (ending in a slash). */
export interface Listed {
  readonly key: string;
  readonly isFolder: boolean;
}

export interface WalkOptions {
  readonly prefix: string;
  readonly isFolded: boolean;
  /** Only lines after this one. */
  readonly after: string;
  readonly signal?: AbortSignal | undefined;
}

/** Orders text by its UTF-8 bytes. */
export function compareBytes(a: string, b: string): number {
  // UTF-16 order differs from UTF-8 order only where surrogates meet characters above them.
  if (a === b) return 0;
  return /[\ud800-\udfff]/.test(a + b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

async function isKeyFile(folder: string, entry: Dirent): Promise<boolean> {
  if (entry.isFile()) return true;
  if (!entry.isSymbolicLink()) return false;
  const target: Stats | undefined = await stat(join(folder, entry.name)).catch(() => undefined);
  return target?.isFile() ?? false;
}

async function entriesOf(folder: string): Promise<readonly Listed[]> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A folder that another process has just removed has no keys.
    if (systemCode(error) === 'ENOENT') return [];
    throw fileError(error, 'list', folder);
  }
  const listed: Listed[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(RESERVED)) continue;
    if (entry.isDirectory()) listed.push({ key: `${entry.name}/`, isFolder: true });
    else if (await isKeyFile(folder, entry)) listed.push({ key: entry.name, isFolder: false });
  }
  return listed.sort((a, b) => compareBytes(a.key, b.key));
}

async function hasKey(folder: string): Promise<boolean> {
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFolder || (await hasKey(join(folder, entry.key)))) return true;
  }
  return false;
}

type Step = 'skip' | 'show' | 'enter';

/** Decides what to do with one entry of a folder. */
function stepOf({ key, isFolder }: Listed, { prefix, isFolded, after }: WalkOptions): Step {
  const isBelow = key.startsWith(prefix);
  if (!isFolder) return isBelow && compareBytes(key, after) > 0 ? 'show' : 'skip';
  if (!isBelow && !prefix.startsWith(key)) return 'skip';
  const isAfter = compareBytes(key, after) > 0;
  // Keys below a folder that is a prefix of the mark may still come after it.
  if (!isAfter && !after.startsWith(key)) return 'skip';
  if (!isFolded || key.length <= prefix.length) return 'enter';
  return isAfter ? 'show' : 'skip';
}

async function* walk(base: string, folder: string, options: WalkOptions): AsyncGenerator<Listed> {
  throwIfCancelled(options.signal);
  for (const { key: name, isFolder } of await entriesOf(join(base, folder))) {
    const entry: Listed = { key: folder + name, isFolder };
    const step = stepOf(entry, options);
    if (step === 'enter') yield* walk(base, entry.key, options);
    else if (step === 'show' && (!isFolder || (await hasKey(join(base, entry.key))))) yield entry;
  }
}

/** Yields the keys (and folded folders) below `base`, in byte order. A folder that does not exist holds none. */
export function walkKeys(base: string, options: WalkOptions): AsyncGenerator<Listed> {
  return walk(base, '', options);
}
