// Listing a folder tree as keys in byte order, as an S3 server would. A folder sorts as its name with a slash, because
// that is how its keys compare: `a-b` comes before `a/x`, and `a/x` before `ab`.
import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.js';
import { fileError } from './file-errors.js';
import { RESERVED } from './file-keys.js';

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
    // A folder that another process has just removed holds no keys.
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

async function* walk(base: string, folder: string, options: WalkOptions): AsyncGenerator<Listed> {
  options.signal?.throwIfAborted();
  for (const entry of await entriesOf(join(base, folder))) {
    const key = folder + entry.key;
    const mayMatch = key.startsWith(options.prefix) || (entry.isFolder && options.prefix.startsWith(key));
    if (!mayMatch) continue;
    if (!entry.isFolder) {
      if (compareBytes(key, options.after) > 0) yield entry.key === key ? entry : { key, isFolder: false };
      continue;
    }
    const isWhollyBefore = compareBytes(key, options.after) < 0 && !options.after.startsWith(key);
    if (isWhollyBefore) continue;
    if (options.isFolded && key.startsWith(options.prefix) && key.length > options.prefix.length) {
      if (compareBytes(key, options.after) > 0 && (await hasKey(join(base, key)))) yield { key, isFolder: true };
    } else {
      yield* walk(base, key, options);
    }
  }
}

/** The keys (and folded folders) below `base`, in byte order. A folder that does not exist holds none. */
export function walkKeys(base: string, options: WalkOptions): AsyncGenerator<Listed> {
  return walk(base, '', options);
}
