// Resolves paths typed in an archive: `/` is the top of the upload, everything else is relative to the current folder. Pure.
import { displayPath, type RawPath, joinParts, pathBelow } from '../platform/paths/raw-path.js';
import { quoteWord } from './command-line.js';

/** Returns the path of an entry, without leading and trailing slashes; '' is the top. The parent of the top is the top. */
export function resolvePath(folder: RawPath, raw: RawPath): RawPath {
  const parts: RawPath[] = [];
  for (const part of (raw.startsWith('/') ? raw : pathBelow(folder, raw)).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return joinParts(parts);
}

/** Returns the path relative to a folder that contains it. */
export const relativePath = (folder: RawPath, path: RawPath): RawPath =>
  folder === '' ? path : path.slice(folder.length + 1);

/** Returns a name as it can be typed: quoted, with `\xNN` for bytes that cannot be typed. */
export const typedName = (name: RawPath): string =>
  displayPath(name)
    .split(/(\\x[0-9a-f]{2})/)
    .map((part, index) => (index % 2 === 1 || part === '' ? part : quoteWord(part)))
    .join('');
