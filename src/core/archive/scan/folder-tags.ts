// Files that leave out what is beside them in their folder: CACHEDIR.TAG, and those that --exclude-if-present names. The file itself is
// archived, so that a restored folder is left out again.
import { usageError } from '../../platform/failures/errors.js';
import { pathBelow, printable, type RawPath, rawFromText } from '../../platform/paths/raw-path.js';
import type { FilterOptions } from './filter-options.js';

const CACHE_TAG = rawFromText('CACHEDIR.TAG');
/** https://bford.info/cachedir/ */
const CACHE_SIGNATURE = rawFromText('Signature: 8a477f597d28d172789f06886806bc55');

export interface FolderTag {
  readonly name: RawPath;
  /** What the file must begin with, if it matters. */
  readonly beginning: RawPath | undefined;
  readonly rule: string;
}

/** Returns the tags that a filter goes by. @throws usage for one that cannot be a name */
export function folderTags({ excludeCaches, excludeIfPresent = [] }: FilterOptions): readonly FolderTag[] {
  const cache = { name: CACHE_TAG, beginning: CACHE_SIGNATURE, rule: '--exclude-caches' };
  return [...(excludeCaches ? [cache] : []), ...excludeIfPresent.map(tagOf)];
}

function tagOf(given: string): FolderTag {
  const rule = `--exclude-if-present ${printable(given)}`;
  const colon = given.indexOf(':');
  const [name, beginning] = colon < 0 ? [given] : [given.slice(0, colon), given.slice(colon + 1)];
  if (name === '' || name === '.' || name === '..' || name.includes('/') || beginning === '')
    throw usageError(
      `${rule} wants the name of a file in a folder, such as .nobackup, or NAME:BEGINNING of what it holds`,
    );
  return { name: rawFromText(name), beginning: beginning === undefined ? undefined : rawFromText(beginning), rule };
}

/** Whether a folder (absolute) that has a file of this name is one with the tag. */
export function isTagged(
  absolute: RawPath,
  { name, beginning }: FolderTag,
  readText: (path: RawPath, bytes?: number) => RawPath | undefined,
): boolean {
  if (beginning === undefined) return true;
  try {
    return readText(pathBelow(absolute, name), beginning.length)?.startsWith(beginning) === true;
  } catch {
    return false; // unreadable, so not known to be a tag: archived, and reported when its content cannot be read
  }
}
