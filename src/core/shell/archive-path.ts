// Paths as they are typed in an archive: `/` is the top of what was uploaded, everything else is relative to the current
// folder. Pure.
import { displayPath, type RawPath, joinParts, pathBelow } from '../platform/paths/raw-path.js';
import { quoteWord } from './command-line.js';

/** The path of an entry, without slashes around it; '' is the top. Above the top is the top. */
export function resolvePath(folder: RawPath, raw: RawPath): RawPath {
  const parts: RawPath[] = [];
  for (const part of (raw.startsWith('/') ? raw : pathBelow(folder, raw)).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return joinParts(parts);
}

/** The path as seen from a folder that it lies below. */
export const relativePath = (folder: RawPath, path: RawPath): RawPath =>
  folder === '' ? path : path.slice(folder.length + 1);

/** A name as it can be typed: quoted, with `\xNN` for what no keyboard has. */
export const typedName = (name: RawPath): string =>
  displayPath(name)
    .split(/(\\x[0-9a-f]{2})/)
    .map((part, index) => (index % 2 === 1 || part === '' ? part : quoteWord(part)))
    .join('');
